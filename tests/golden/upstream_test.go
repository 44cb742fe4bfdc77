package golden

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// upstream is the platform of a case. It serves the responses of a file, which is one JSON object. A name is a method with a
// path and the parameters that the request must have, "GET /v1/x?a=1"; the one with most parameters counts. A value is
// the body of the response, or {"status", "body"}.
//
// Paths of the gateway begin with /intelligence, those of metrics with /v1/projects/p/metrics/timeseries.
type upstream struct {
	responses []response

	lock sync.Mutex
	// unknown are the requests without a response.
	unknown []string
}

type response struct {
	method, path string
	params       url.Values
	status       int
	body         json.RawMessage
}

func newUpstream(t *testing.T, file []byte) *upstream {
	t.Helper()
	var named map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(file, &named))
	u := &upstream{}
	for name, body := range named {
		method, address, _ := strings.Cut(name, " ")
		target, err := url.Parse(address)
		require.NoError(t, err)
		r := response{method, target.Path, target.Query(), http.StatusOK, body}
		var failure struct {
			Status int             `json:"status"`
			Body   json.RawMessage `json:"body"`
		}
		if json.Unmarshal(body, &failure) == nil && failure.Status != 0 {
			r.status, r.body = failure.Status, failure.Body
		}
		u.responses = append(u.responses, r)
	}
	slices.SortFunc(u.responses, func(a, b response) int { return len(b.params) - len(a.params) })
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, known := range u.responses {
		if known.matches(r) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(known.status)
			_, _ = w.Write(known.body)
			return
		}
	}
	u.lock.Lock()
	defer u.lock.Unlock()
	u.unknown = append(u.unknown, r.Method+" "+r.URL.Path+"?"+r.Form.Encode())
	w.WriteHeader(http.StatusNotFound)
}

func (known response) matches(r *http.Request) bool {
	if known.method != r.Method || known.path != r.URL.Path {
		return false
	}
	for name, values := range known.params {
		if !slices.Equal(values, r.Form[name]) {
			return false
		}
	}
	return true
}

// check fails if a request had no response.
func (u *upstream) check(t *testing.T) {
	t.Helper()
	u.lock.Lock()
	defer u.lock.Unlock()
	require.Empty(t, u.unknown, "requests without a response in the file")
}
