package jobs_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequests_EscapeIDs(t *testing.T) {
	for id, escaped := range map[string]string{
		"a/b 1?x=%2e": "a%2Fb%201%3Fx=%252e",
		"..":          "%2E%2E",
		".":           "%2E",
	} {
		t.Run(id, func(t *testing.T) {
			var paths []string
			g := &gateway{jobs: []any{job(id, nil)}}
			g.handle = func(w http.ResponseWriter, r *http.Request) bool {
				g.lock.Lock()
				defer g.lock.Unlock()
				paths = append(paths, r.URL.EscapedPath())
				if r.URL.Path == "/v1/fine_tuning/jobs" {
					return false
				}
				respond(w, object{"data": []any{}, "has_more": false})
				return true
			}
			client := newClient(t, g)
			fetch(t, client, "fineTuningCheckpoints", nil)
			fetch(t, client, "fineTuningEvents", nil)
			_, err := client.Download(t.Context(), id)
			require.Error(t, err, "JSON is no archive")
			for _, path := range []string{"fine_tuning/jobs/" + escaped + "/checkpoints", "fine_tuning/jobs/" + escaped + "/events", "files/" + escaped + "/content"} {
				require.Contains(t, paths, "/v1/"+path)
			}
		})
	}
}
