package jobs_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

// Several queries for all details of the most jobs end when their details are there, whatever the number of fetches.
func TestDetails_ManyFetches(t *testing.T) {
	const count = 1000
	inBubble(t, finished(count), unlimited, func(t *testing.T, _ *limited, client *jobs.Client) {
		var others []string
		for i := range 100 {
			others = append(others, fmt.Sprint("other-", i))
		}
		var queries sync.WaitGroup
		for _, queryType := range []string{"fineTuningEvents", "fineTuningCheckpoints"} {
			queries.Go(func() {
				within(t, 20*time.Second, queryType, func() {
					frames := fetch(t, client, queryType, nil)
					require.GreaterOrEqual(t, frames[0].Rows(), count)
				})
			})
		}
		time.Sleep(100 * time.Millisecond)
		_, err := try(t, client, "fineTuningJobs", object{"jobIds": others})
		require.ErrorContains(t, err, "knows no job named other-0")
		queries.Wait()
		synctest.Wait()
	})
}
