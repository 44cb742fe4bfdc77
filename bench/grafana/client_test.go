package grafana_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/grafana"
)

func TestQuery_Results(t *testing.T) {
	for name, test := range map[string]struct {
		status  int
		body    string
		frames  int
		failure string
	}{
		"frames":           {http.StatusOK, `{"results":{"A":{"status":200,"frames":[{},{}]}}}`, 2, ""},
		"a failed query":   {http.StatusOK, `{"results":{"A":{"status":500,"error":"boom"}}}`, 0, "boom"},
		"a failed request": {http.StatusBadRequest, `{"message":"no"}`, 0, "400 Bad Request"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				user, password, _ := r.BasicAuth()
				require.Equal(t, []string{"me", "pass"}, []string{user, password})
				var asked struct {
					From, To string
					Queries  []struct {
						Expr          string
						MaxDataPoints int
					}
				}
				require.NoError(t, json.NewDecoder(r.Body).Decode(&asked))
				require.Equal(t, "up", asked.Queries[0].Expr)
				require.Equal(t, 61, asked.Queries[0].MaxDataPoints)
				require.Equal(t, []string{"0", "3600000"}, []string{asked.From, asked.To})
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer server.Close()
			client, err := grafana.New(strings.Replace(server.URL, "http://", "http://me:pass@", 1))
			require.NoError(t, err)
			frames, err := client.Query(context.Background(), grafana.Datasource{UID: "x"}, "up", time.UnixMilli(0), time.UnixMilli(0).Add(time.Hour), time.Minute)
			require.Equal(t, test.frames, frames)
			if test.failure == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.failure)
			}
		})
	}
}

func TestNew_AddressWithoutHost(t *testing.T) {
	_, err := grafana.New("localhost")
	require.Error(t, err)
}
