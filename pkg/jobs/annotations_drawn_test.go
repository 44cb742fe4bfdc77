package jobs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

// Of 200 jobs, as many are drawn as there is space for, and the checkpoints of one.
func TestAnnotations_RequestsWhatIsDrawn(t *testing.T) {
	all := overlapping(200)
	inBubble(t, all, tokenBucket(10000), func(t *testing.T, g *limited, client *jobs.Client) {
		frames := drawnOver(t, client, month, nil)
		for i, id := range values(t, frames[0], "id") {
			if strings.HasPrefix(id.(string), "job:") {
				require.Contains(t, values(t, frames[0], "text")[i], "last train_loss 1.5")
			} else {
				require.Contains(t, id, "checkpoint:job-199", "it has the newest checkpoint")
			}
		}
		require.Less(t, g.count("/checkpoints"), 110)
		require.Regexp(t, `Only \d+ of more than \d+ checkpoints are drawn, of one job\.`, notices(frames))
		require.NotContains(t, notices(frames), "still being read")
	})
	// An older job has a newer checkpoint than all that were read.
	for i := 100; i < 200; i++ {
		all.checkpoints[fmt.Sprintf("job-%03d", i)] = []any{}
	}
	inBubble(t, all, tokenBucket(10000), func(t *testing.T, g *limited, client *jobs.Client) {
		frames := drawnOver(t, client, month, object{"show": []string{"checkpoints"}})
		require.Equal(t, 200, g.count("/checkpoints"))
		require.Positive(t, frames[0].Rows())
		for _, id := range values(t, frames[0], "id") {
			require.Contains(t, id, "job-099")
		}
	})
}

func TestAnnotations_DrawnFirst(t *testing.T) {
	inBubble(t, overlapping(500), tokenBucket(60), func(t *testing.T, _ *limited, client *jobs.Client) {
		frames := drawnOver(t, client, month, object{"show": []string{"jobs"}})
		with := 0
		for _, text := range values(t, frames[0], "text") {
			if strings.Contains(text.(string), "last train_loss") {
				with++
			}
		}
		require.Greater(t, with, 45, "those that were read are drawn")
	})
}
