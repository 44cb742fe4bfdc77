package jobs_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// An alert rule does not evaluate a part of the jobs.
func TestRateLimit_AlertRule(t *testing.T) {
	ofRule := func(t *testing.T, client *jobs.Client) (int, error) {
		frames, err := queryData(client, t.Context(), "fineTuningCurves", dataQuery(t, nil), true)
		return len(frames), err
	}
	const curves = 50
	inBubble(t, finished(curves), tokenBucket(40), func(t *testing.T, _ *limited, client *jobs.Client) {
		n, err := ofRule(t, client)
		require.NoError(t, err, "it waits")
		require.Equal(t, curves, n)
	})
	inBubble(t, finished(curves), only(30), func(t *testing.T, _ *limited, client *jobs.Client) {
		require.Len(t, fetch(t, client, "fineTuningCurves", nil), 29, "a panel has those of some jobs")
		within(t, 3*time.Second, "the rule, which does not wait for what comes in an hour", func() {
			_, err := ofRule(t, client)
			require.ErrorIs(t, err, transport.ErrRateLimited)
			require.ErrorContains(t, err, "The training metrics of 21 jobs are still being read, because the tuning gateway limits the rate of requests. Try again in ")
		})
	})
	// The rule and panels take turns.
	inBubble(t, finished(500), tokenBucket(60), func(t *testing.T, g *limited, client *jobs.Client) {
		fetch(t, client, "fineTuningEvents", nil)
		time.Sleep(30 * time.Second)
		var panels sync.WaitGroup
		defer panels.Wait()
		for range 3 {
			panels.Go(func() {
				for range 6 {
					fetch(t, client, "fineTuningCheckpoints", nil)
				}
			})
		}
		synctest.Wait()
		query := dataQuery(t, object{"jobIds": texts("job-0010", 6)})
		within(t, 22*time.Second, "the rule", func() {
			frames, err := queryData(client, t.Context(), "fineTuningCurves", query, true)
			require.NoError(t, err)
			require.Len(t, frames, 6)
		})
	})
}

func TestRateLimit_ExpiredList(t *testing.T) {
	inBubble(t, finished(10), only(5), func(t *testing.T, _ *limited, client *jobs.Client) {
		byJob := object{"format": "countByJob"}
		require.Empty(t, notices(fetch(t, client, "fineTuningJobs", byJob)))
		fetch(t, client, "fineTuningJobs", nil)

		time.Sleep(time.Minute)
		frames := fetch(t, client, "fineTuningJobs", nil)
		require.Equal(t, 10, frames[0].Rows())
		requireNo429(t, notices(frames))
		choices, err := client.Jobs(t.Context())
		require.NoError(t, err)
		require.Len(t, choices, 10)
		require.Len(t, fetch(t, client, "fineTuningJobs", byJob), 10)

		time.Sleep(4 * time.Minute)
		_, err = try(t, client, "fineTuningJobs", byJob)
		require.ErrorIs(t, err, transport.ErrRateLimited, "too old")
		_, err = try(t, client, "fineTuningJobs", nil)
		require.ErrorIs(t, err, transport.ErrRateLimited)
	})
}

// Details of running jobs expire sooner than the gateway allows to read them.
func TestRateLimit_ExpiredDetails(t *testing.T) {
	const count = 40
	inBubble(t, unfinished(count), tokenBucket(30), func(t *testing.T, g *limited, client *jobs.Client) {
		fetch(t, client, "fineTuningCheckpoints", nil)
		time.Sleep(time.Minute)
		for range 20 {
			require.Equal(t, count, fetch(t, client, "fineTuningCheckpoints", nil)[0].Rows())
			time.Sleep(10 * time.Second)
		}
		require.Less(t, g.count("/checkpoints"), 2*count)
		time.Sleep(10 * time.Minute)
		frames := fetch(t, client, "fineTuningCheckpoints", nil)
		require.Less(t, frames[0].Rows(), count, "ten minutes are too old")
		require.Contains(t, notices(frames), "are still being read")
		time.Sleep(2 * time.Minute)
		require.Equal(t, count, fetch(t, client, "fineTuningCheckpoints", nil)[0].Rows())
	})
}
