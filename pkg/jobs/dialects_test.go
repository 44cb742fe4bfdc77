package jobs_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
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

func TestErrors_GatewayMessage(t *testing.T) {
	for name, test := range map[string]struct{ body, says string }{
		"OpenAI's form":   {`{"error":{"message":"limit must be at most 100","type":"invalid_request_error"}}`, ": limit must be at most 100"},
		"a text":          {`{"error":"limit must be at most 100"}`, ": limit must be at most 100"},
		"detail":          {`{"detail":"limit must be at most 100"}`, ": limit must be at most 100"},
		"a list":          {`{"detail":[{"loc":["query","limit"],"msg":"must be at most 100","type":"less_than_equal"}]}`, ": query.limit: must be at most 100"},
		"a bare string":   {`"limit must be at most 100"`, ": limit must be at most 100"},
		"plain text":      {"limit must be\nat most 100", ": limit must be at most 100"},
		"with a secret":   {"Bearer " + key + " is over its limit at https://gateway.internal/v1", ": [hidden] is over its limit at [address]"},
		"a web page":      {"<html><body>400</body></html>", "(400)."},
		"endless text":    {strings.Repeat("x ", 5000), "(400)."},
		"binary":          {"\x00\x01\x02", "(400)."},
		"other JSON":      {`{"oops":{"limit":100}}`, "(400)."},
		"members of none": {`{"error":7,"detail":{},"message":["x"],"reason":null}`, "(400)."},
	} {
		t.Run(name, func(t *testing.T) {
			g := &gateway{handle: func(w http.ResponseWriter, _ *http.Request) bool {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(test.body))
				return true
			}}
			_, err := try(t, newClient(t, g), "fineTuningJobs", nil)
			require.ErrorIs(t, err, transport.ErrBadRequest)
			require.True(t, strings.HasSuffix(err.Error(), test.says), err.Error())
		})
	}
}
