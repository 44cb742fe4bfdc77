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
				if r.URL.Path == "/login" {
					var login struct{ User, Password string }
					require.NoError(t, json.NewDecoder(r.Body).Decode(&login))
					require.Equal(t, "me", login.User)
					require.Equal(t, "pass", login.Password)
					http.SetCookie(w, &http.Cookie{Name: "grafana_session", Value: "s"})
					return
				}
				session, err := r.Cookie("grafana_session")
				require.NoError(t, err)
				require.Equal(t, "s", session.Value)
				var request struct {
					From, To string
					Queries  []struct {
						Expr          string
						MaxDataPoints int
					}
				}
				require.NoError(t, json.NewDecoder(r.Body).Decode(&request))
				require.Equal(t, "up", request.Queries[0].Expr)
				require.Equal(t, 61, request.Queries[0].MaxDataPoints)
				require.Equal(t, []string{"0", "3600000"}, []string{request.From, request.To})
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer server.Close()
			client, err := grafana.New(t.Context(), strings.Replace(server.URL, "http://", "http://me:pass@", 1))
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

func TestProcessorTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/metrics":
			_, _ = w.Write([]byte("grafana_process_cpu_seconds_total 7\n# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.25\n"))
		case "/metrics/plugins/ours":
			_, _ = w.Write([]byte("# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 0.5\n"))
		}
	}))
	defer server.Close()
	client, err := grafana.New(t.Context(), server.URL)
	require.NoError(t, err)
	used, err := client.ProcessorTime(t.Context(), "ours")
	require.NoError(t, err)
	require.Equal(t, 1750*time.Millisecond, used)
	_, err = client.ProcessorTime(t.Context(), "theirs")
	require.ErrorContains(t, err, "/metrics/plugins/theirs")
}

func TestNew_AddressWithoutHost(t *testing.T) {
	_, err := grafana.New(t.Context(), "localhost")
	require.Error(t, err)
}
