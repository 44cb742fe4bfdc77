package platform

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// queryForm is what the names and values of the canonical query are made of. The specification of the signature leaves it
// open; names and values of plain letters and digits are the same in all forms.
type queryForm int

const (
	// formEncoded writes a space as "+", as url.Values.Encode does.
	formEncoded queryForm = iota
	// rfc3986 writes a space as "%20".
	rfc3986
	// rawText signs names and values as they are, and sends them as rfc3986.
	rawText
)

// retryForms is how long other forms aren't tried again once the platform has refused all of them.
const retryForms = 5 * time.Minute

// canonicalQuery is a query as it is signed, and the same query as it is sent.
type canonicalQuery struct{ signed, sent string }

// canonical is a query in this form: sorted by name, values of one name in the order given, a blank value as "name=".
func (f queryForm) canonical(params url.Values) canonicalQuery {
	form := CanonicalQuery(params)
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

// formMemory is the form that the platform accepted last, and until when others aren't tried. It is safe for concurrent use.
type formMemory struct {
	now func() time.Time
	// search is held by the one request that tries other forms.
	search chan struct{}

	mu       sync.Mutex
	accepted queryForm
	until    time.Time
}

func newFormMemory(now func() time.Time) *formMemory {
	return &formMemory{now: now, search: make(chan struct{}, 1)}
}

func (m *formMemory) current() queryForm {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accepted
}

func (m *formMemory) accept(f queryForm) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.accepted, m.until = f, time.Time{}
}

// refuseAll remembers that no form was accepted: the key or the clock is wrong, and not the form.
func (m *formMemory) refuseAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = m.now().Add(retryForms)
}

func (m *formMemory) mayTry() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.now().Before(m.until)
}

// begin waits for the search of another request. Its error is the context's.
func (m *formMemory) begin(ctx context.Context) error {
	select {
	case m.search <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *formMemory) end() { <-m.search }

// others are the forms to try after one was refused, each that makes another request of params; first the one that another
// request has found to be accepted meanwhile.
func (m *formMemory) others(params url.Values, refused queryForm) []queryForm {
	tried := map[canonicalQuery]bool{refused.canonical(params): true}
	var others []queryForm
	for _, f := range []queryForm{m.current(), formEncoded, rfc3986, rawText} {
		if q := f.canonical(params); !tried[q] {
			tried[q] = true
			others = append(others, f)
		}
	}
	return others
}
