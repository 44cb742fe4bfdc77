package mainapi

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// queryForm is the encoding of names and values in the canonical query. The specification of the signature does not define
// it. Letters and digits are the same in all forms.
type queryForm int

const (
	// formEncoded writes a space as "+", as url.Values.Encode does.
	formEncoded queryForm = iota
	// rfc3986 writes a space as "%20".
	rfc3986
	// rawText signs names and values as they are, and sends them as rfc3986.
	rawText
)

// formsRetryAfter is the time without further searches after the platform has rejected all forms.
const formsRetryAfter = 5 * time.Minute

// canonicalQuery is a query as it is signed and as it is sent.
type canonicalQuery struct{ signed, sent string }

// canonical is a query in this form: sorted by name, values of one name in the order given, a blank value as "name=".
func (f queryForm) canonical(params url.Values) canonicalQuery {
	form := params.Encode()
	// QueryEscape leaves the characters that RFC 3986 calls unreserved, and writes a plus sign of a value as %2B.
	escaped := strings.ReplaceAll(form, "+", "%20")
	switch f {
	case rfc3986:
		return canonicalQuery{escaped, escaped}
	case rawText:
		return canonicalQuery{rawQuery(params), escaped}
	}
	return canonicalQuery{form, form}
}

func rawQuery(params url.Values) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		for _, value := range params[name] {
			pairs = append(pairs, name+"="+value)
		}
	}
	return strings.Join(pairs, "&")
}

// formState is the form that the platform accepted last, and the time of the next possible search. It is safe for
// concurrent use.
type formState struct {
	now func() time.Time
	// search is held by the one request that tries other forms.
	search *semaphore.Weighted

	mu       sync.Mutex
	accepted queryForm
	until    time.Time
}

func newFormState(now func() time.Time) *formState {
	return &formState{now: now, search: semaphore.NewWeighted(1)}
}

func (m *formState) current() queryForm {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accepted
}

func (m *formState) accept(f queryForm) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted, m.until = f, time.Time{}
}

// rejectAll records that no form was accepted, so that the key or the clock is wrong and not the form.
func (m *formState) rejectAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = m.now().Add(formsRetryAfter)
}

func (m *formState) searchAllowed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.now().Before(m.until)
}

// others are the forms to try after one was rejected, without those that encode params in the same way. The first is the one
// that a concurrent request found to be accepted.
func (m *formState) others(params url.Values, rejected queryForm) []queryForm {
	tried := map[canonicalQuery]bool{rejected.canonical(params): true}
	var others []queryForm
	for _, f := range []queryForm{m.current(), formEncoded, rfc3986, rawText} {
		if q := f.canonical(params); !tried[q] {
			tried[q] = true
			others = append(others, f)
		}
	}
	return others
}
