package mainapi

import (
	"net/url"
	"slices"
	"strings"
)

// SignatureQuery is what the name=value pairs of a canonical query are made of. The specification doesn't say.
type SignatureQuery string

// The forms of a canonical query. They differ where a name or a value has other characters than letters, digits and -_.~
const (
	FormQuery    SignatureQuery = "form"    // form-encoded, a space is +
	RFC3986Query SignatureQuery = "rfc3986" // percent-encoded, a space is %20
	RawQuery     SignatureQuery = "raw"     // names and values as they are, not escaped
)

// signed returns the canonical query of a query that was sent, or false if the one that was sent isn't right: it must be
// sorted by name, have a blank value as "name=", and be encoded as it is signed. For raw, any valid encoding is right.
func (form SignatureQuery) signed(sent string) (string, bool) {
	params, err := url.ParseQuery(sent)
	if err != nil {
		return "", false
	}
	encoded := params.Encode()
	switch form {
	case RFC3986Query:
		encoded = strings.ReplaceAll(encoded, "+", "%20")
	case RawQuery:
		return unescaped(sent)
	}
	return sent, encoded == sent
}

// unescaped joins the pairs of a query as they are after decoding.
func unescaped(sent string) (string, bool) {
	if sent == "" {
		return "", true
	}
	var names, pairs []string
	for pair := range strings.SplitSeq(sent, "&") {
		name, value, hasValue := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || !hasValue {
			return "", false
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return "", false
		}
		names, pairs = append(names, name), append(pairs, name+"="+value)
	}
	return strings.Join(pairs, "&"), slices.IsSorted(names)
}
