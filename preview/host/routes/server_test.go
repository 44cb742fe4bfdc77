package routes

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSameOrigin(t *testing.T) {
	handler := sameOrigin(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for name, test := range map[string]struct {
		host, origin string
		status       int
	}{
		"localhost":                         {"localhost:3000", "http://localhost:3000", http.StatusOK},
		"an address":                        {"127.0.0.1:3000", "", http.StatusOK},
		"an IPv6 address":                   {"[::1]:3000", "http://[::1]:3000", http.StatusOK},
		"another site's page":               {"localhost:3000", "http://evil.example", http.StatusForbidden},
		"a name that resolves to localhost": {"evil.example:3000", "http://evil.example:3000", http.StatusForbidden},
		"the same without an origin":        {"evil.example:3000", "", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/api/ds/query", nil)
			r.Host = test.host
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code)
		})
	}
}
