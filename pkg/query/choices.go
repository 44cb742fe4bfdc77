package query

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

const (
	// MaxChoices bounds the number of values of an option.
	MaxChoices = 2000
	// maxChoice bounds the number of characters of a value.
	maxChoice = 256
)

// Choices are the values of an option that filters. The zero value includes everything.
type Choices struct {
	Values []string
	// Blank reports that the option is set, but has no value, such as a variable without a value.
	Blank bool
	// spellings are the values by lower case.
	spellings map[string]string
}

// allValue is Grafana's value of "All" in variables without a custom all value.
const allValue = "$__all"

// UnmarshalJSON decodes a list or a string, within the bounds of an option. A string may have several values in the formats of dashboard
// variables: "a,b", "{a,b}". Its error is a *json.UnmarshalTypeError.
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
			if part = strings.TrimSpace(part); part == "" || seen[part] {
				continue
			}
			switch {
			case len(c.Values) == MaxChoices:
				return outOfBounds("has more than %d values. Choose fewer, or all", MaxChoices)
			case utf8.RuneCountInString(part) > maxChoice:
				return outOfBounds("has a value of more than %d characters", maxChoice)
			}
			seen[part] = true
			c.Values = append(c.Values, part)
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

// outOfBounds is the error of an option, of which [WrongType] knows the field: encoding/json adds it to errors of this type.
func outOfBounds(format string, bound int) error {
	return &json.UnmarshalTypeError{Value: fmt.Sprintf(format, bound), Type: reflect.TypeFor[Choices]()}
}

// NewChoices are choices of these values.
func NewChoices(values []string) Choices {
	c := Choices{Values: values}
	c.index()
	return c
}

// index indexes the values for [Choices.Spelling].
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

// All reports whether the option includes everything.
func (c *Choices) All() bool { return len(c.Values) == 0 && !c.Blank }

// Has reports whether the option includes a value, in any case.
func (c *Choices) Has(value string) bool { return c.All() || c.Spelling(value) != "" }

// Spelling is a value in the case of the query, or "" if the query doesn't have it.
func (c *Choices) Spelling(value string) string { return c.spellings[strings.ToLower(value)] }
