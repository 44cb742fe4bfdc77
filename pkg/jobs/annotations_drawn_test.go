package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

// Of 200 jobs, the checkpoints of the newest are read.
func TestAnnotations_RequestsOfNewestJobs(t *testing.T) {
	inBubble(t, overlapping(200), tokenBucket(10000), func(t *testing.T, g *limited, client *jobs.Client) {
		frames := drawnOver(t, client, month, nil)
		require.Equal(t, 100, g.count("/checkpoints"))
		require.Contains(t, notices(frames), "Only checkpoints of the newest 100 of 200 jobs are shown.")
		require.NotContains(t, notices(frames), "still being read")
	})
	inBubble(t, overlapping(200), tokenBucket(10000), func(t *testing.T, g *limited, client *jobs.Client) {
		frames := drawnOver(t, client, month, object{"show": []string{"jobs"}})
		require.Zero(t, g.count("/checkpoints"))
		require.NotContains(t, notices(frames), "checkpoints")
	})
}
