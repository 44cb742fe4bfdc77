package jobs_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// documentedOnly is a gateway with the operations of the specification only: a job by its id, and its checkpoints.
func documentedOnly(jobs ...any) *gateway {
	g := &gateway{jobs: jobs, checkpoints: map[string]any{}}
	g.handle = func(w http.ResponseWriter, r *http.Request) bool {
		path := strings.TrimPrefix(r.URL.Path, "/v1/fine_tuning/jobs/")
		documented := path != r.URL.Path && (!strings.Contains(path, "/") || strings.HasSuffix(path, "/checkpoints"))
		if !documented {
			w.WriteHeader(http.StatusNotFound)
			respond(w, object{"detail": "Not Found"})
		}
		return !documented
	}
	return g
}

func TestGateway_SpecificationOnly(t *testing.T) {
	g := documentedOnly(job("a", nil), job("b", object{"status": "failed"}))
	g.checkpoints["a"] = []any{checkpoint("c1", 10, 80*time.Minute, object{"train_loss": 0.5})}
	g.checkpoints["b"] = []any{}
	client := newClient(t, g)
	both := object{"jobIds": []string{"a", "b"}}

	frames := fetch(t, client, "fineTuningJobs", both)
	require.Equal(t, []any{"a", "b"}, values(t, frames[0], "job_id"))
	require.Empty(t, notices(frames))
	frames = fetch(t, client, "fineTuningJobs", object{"jobIds": []string{"a", "b"}, "format": "timeline"})
	require.Equal(t, []any{nil, "in progress", nil, nil}, values(t, frames[0], "a"))
	require.Empty(t, notices(frames))
	require.Equal(t, []any{"c1"}, values(t, fetch(t, client, "fineTuningCheckpoints", both)[0], "checkpoint_id"))
	require.Equal(t, []any{0.5}, lossesOf(t, fetch(t, client, "fineTuningCurves", both)))
	require.Equal(t, 3, fetch(t, client, "fineTuningAnnotations", both)[0].Rows())
	require.Contains(t, notices(fetch(t, client, "fineTuningEvents", both)), "no events of the chosen jobs")

	for _, queryType := range []string{"fineTuningJobs", "fineTuningCheckpoints", "fineTuningCurves", "fineTuningEvents", "fineTuningAnnotations"} {
		_, err := try(t, client, queryType, nil)
		require.ErrorContains(t, err, "has no list of jobs", queryType)
		require.ErrorContains(t, err, "choose jobs by id", queryType)
	}
	requested, err := client.Check(context.Background())
	require.NoError(t, err)
	require.Equal(t, "a job by its id", requested)
}
