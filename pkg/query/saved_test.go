package query_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

type saved struct {
	Names query.Texts  `json:"names"`
	Pages query.Number `json:"pages"`
}

func TestSaved_HandWritten(t *testing.T) {
	for name, test := range map[string]struct {
		json string
		want saved
	}{
		"no fields":        {`{}`, saved{}},
		"nulls":            {`{"names":null,"pages":null}`, saved{}},
		"a list":           {`{"names":["a","b"]}`, saved{Names: query.Texts{"a", "b"}}},
		"an empty list":    {`{"names":[]}`, saved{Names: query.Texts{}}},
		"a single text":    {`{"names":"a"}`, saved{Names: query.Texts{"a"}}},
		"a number":         {`{"pages":2.5}`, saved{Pages: 2.5}},
		"a number in text": {`{"pages":" 2 "}`, saved{Pages: 2}},
		"a blank string":   {`{"pages":" "}`, saved{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got saved
			require.NoError(t, json.Unmarshal([]byte(test.json), &got))
			require.Equal(t, test.want, got)
		})
	}
}

func TestSaved_Invalid(t *testing.T) {
	for name, text := range map[string]string{
		"a list of numbers":        `{"names":[1]}`,
		"an object for a list":     `{"names":{}}`,
		"a text that is no number": `{"pages":"many"}`,
		"not a number":             `{"pages":"NaN"}`,
		"infinity":                 `{"pages":"-Inf"}`,
		"a number too large":       `{"pages":"1e999"}`,
		"an object for a number":   `{"pages":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var got saved
			err := json.Unmarshal([]byte(text), &got)
			var mismatch *json.UnmarshalTypeError
			require.ErrorAs(t, err, &mismatch)
			require.Contains(t, query.Unreadable(err).Error(), "Query: field ")
		})
	}
}

// Warnings that are left out are mentioned, also where warnings of cuts are beyond the bound.
func TestNotices_More(t *testing.T) {
	var notices query.Notices
	for i := range 20 {
		notices.Warn("warning %d", i)
	}
	notices.Cut("cut")
	for i := range 3 {
		notices.Warn("another %d", i)
	}
	require.Len(t, notices, 22)
	require.Equal(t, "There are more notices. Choose less to see them.", notices[21].Text)
}
