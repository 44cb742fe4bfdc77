package tuning

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// What a query may hold. A dashboard variable with all jobs has as many values as jobs are read.
const (
	maxQueryBytes = 1 << 20
	maxChoices    = maxJobs
	maxChoice     = 256 // characters of a value
)

// choices are the values of an option.
type choices struct {
	values []string
	// spellings are the values by their lower case.
	spellings map[string]string
	// blank: something was chosen and came to nothing, a variable without a value.
	blank bool
	// tooMany and tooLong: there are more values than may be, or one has more characters.
	tooMany, tooLong bool
}

// allValue is how Grafana writes "All" where it leaves the meaning to the data source.
const allValue = "$__all"

// UnmarshalJSON reads a list or a single text. A value may hold several, as dashboard variables write them: "a,b", "{a,b}".
func (o *choices) UnmarshalJSON(raw []byte) error {
	var given []string
	if err := json.Unmarshal(raw, &given); err != nil {
		var one string
		if json.Unmarshal(raw, &one) != nil {
			return err
		}
		given = []string{one}
	}
	*o = choices{}
	seen := map[string]bool{}
	for _, value := range given {
		value = strings.TrimSpace(value)
		if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
			value = value[1 : len(value)-1]
		}
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" && !seen[part] {
				seen[part] = true
				o.values = append(o.values, part)
				o.tooLong = o.tooLong || len(part) > maxChoice && utf8.RuneCountInString(part) > maxChoice
			}
		}
		if o.tooMany = len(o.values) > maxChoices; o.tooMany {
			break
		}
	}
	if seen[allValue] {
		*o = choices{}
		return nil
	}
	o.blank = len(given) > 0 && len(o.values) == 0
	o.index()
	return nil
}

// index makes values known to [choices.spelling].
func (o *choices) index() {
	o.spellings = make(map[string]string, len(o.values))
	for _, value := range o.values {
		if folded := strings.ToLower(value); o.spellings[folded] == "" {
			o.spellings[folded] = value
		}
	}
}

// rewrite replaces each value.
func (o *choices) rewrite(to func(string) string) {
	for i, value := range o.values {
		o.values[i] = to(value)
	}
	o.index()
}

// all tells whether the option leaves nothing out.
func (o *choices) all() bool { return len(o.values) == 0 && !o.blank }

// has tells whether the value is chosen, whatever its case.
func (o *choices) has(value string) bool { return o.all() || o.spelling(value) != "" }

// spelling is the value as the query writes it, or "" if the query doesn't name it.
func (o *choices) spelling(value string) string { return o.spellings[strings.ToLower(value)] }

// bounded is an error if the query holds more than it may.
func (q *query) bounded() error {
	for _, option := range []struct {
		field string
		choices
	}{
		{"Job", q.JobIDs}, {"Status", q.Statuses}, {"Model", q.Models}, {"Show", q.Show},
		{"Metric", q.Metrics}, {"Level", q.Levels}, {"Purpose", q.Purposes},
	} {
		switch {
		case option.tooMany:
			return &queries.Error{Field: option.field, Message: fmt.Sprintf("at most %d values can be chosen. Choose fewer, or all.", maxChoices)}
		case option.tooLong:
			return &queries.Error{Field: option.field, Message: fmt.Sprintf("a value has at most %d characters.", maxChoice)}
		}
	}
	return nil
}
