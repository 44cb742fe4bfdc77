package query

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// MaxChoices is how many values an option can have.
	MaxChoices = 2000
	// maxChoice is the number of characters of a value.
	maxChoice = 256
)

// Choices are the values of an option. The zero value leaves nothing out.
type Choices struct {
	Values []string
	// Blank tells that something was chosen and came to nothing: a variable without a value.
	Blank bool
	// spellings are the values by their lower case.
	spellings map[string]string
	tooLong   bool
}

// allValue is how Grafana writes "All" where it leaves the meaning to the data source.
const allValue = "$__all"

// UnmarshalJSON reads a list or a single text. A value may hold several, as dashboard variables write them: "a,b", "{a,b}".
// What is beyond the bounds of [Choices.Check] is not read. Its error is a *json.UnmarshalTypeError.
func (c *Choices) UnmarshalJSON(raw []byte) error {
	var given Texts
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	*c = Choices{}
	seen := map[string]bool{}
	for _, value := range given {
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
			value = value[1 : len(value)-1]
		}
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" && !seen[part] {
				seen[part] = true
				c.Values = append(c.Values, part)
				c.tooLong = c.tooLong || len(part) > maxChoice && utf8.RuneCountInString(part) > maxChoice
			}
		}
		if len(c.Values) > MaxChoices {
			break
		}
	}
	if seen[allValue] {
		*c = Choices{}
		return nil
	}
	c.Blank = len(given) > 0 && len(c.Values) == 0
	c.index()
	return nil
}

// index makes values known to [Choices.Spelling].
func (c *Choices) index() {
	c.spellings = make(map[string]string, len(c.Values))
	for _, value := range c.Values {
		if folded := strings.ToLower(value); c.spellings[folded] == "" {
			c.spellings[folded] = value
		}
	}
}

// Rewrite replaces each value.
func (c *Choices) Rewrite(to func(string) string) {
	for i, value := range c.Values {
		c.Values[i] = to(value)
	}
	c.index()
}

// All tells whether the option leaves nothing out.
func (c *Choices) All() bool { return len(c.Values) == 0 && !c.Blank }

// Has tells whether the value is chosen, whatever its case.
func (c *Choices) Has(value string) bool { return c.All() || c.Spelling(value) != "" }

// Spelling is the value as the query writes it, or "" if the query doesn't name it.
func (c *Choices) Spelling(value string) string { return c.spellings[strings.ToLower(value)] }

// Check is nil, or an *Error if there are more values than [MaxChoices], or one is longer than 256 characters.
func (c *Choices) Check(field string) error {
	switch {
	case len(c.Values) > MaxChoices:
		return &Error{Field: field, Message: fmt.Sprintf("at most %d values can be chosen. Choose fewer, or all.", MaxChoices)}
	case c.tooLong:
		return &Error{Field: field, Message: fmt.Sprintf("a value has at most %d characters.", maxChoice)}
	}
	return nil
}

// BlankNotice says of an option why it leaves everything out.
const BlankNotice = "%s: the variable has no value, so nothing is chosen."
