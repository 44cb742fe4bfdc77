package jobs_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

func unlimited(time.Time) time.Duration { return 0 }

func TestDetails_TimeoutOfOneJob(t *testing.T) {
	const count = 40
	g := finished(count)
	g.handle = func(w http.ResponseWriter, r *http.Request) bool {
		timedOut := strings.HasSuffix(r.URL.Path, "/job-00000/checkpoints")
		if timedOut {
			fail(w, http.StatusGatewayTimeout, "the storage did not respond")
		} else if strings.HasSuffix(r.URL.Path, "/checkpoints") {
			time.Sleep(2 * time.Second)
		}
		return timedOut
	}
	inBubble(t, g, unlimited, func(t *testing.T, _ *limited, client *jobs.Client) {
		frames := fetch(t, client, "fineTuningCheckpoints", nil)
		require.Equal(t, count-1, frames[0].Rows())
		require.NotContains(t, values(t, frames[0], "job_id"), "job-00000")
		require.Contains(t, notices(frames), "The checkpoints of 1 job can't be read.")
	})
}
