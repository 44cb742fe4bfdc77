package jobs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// A job makes more steps than are kept of it. The newest are, and when it started, however they are listed; they count the longer, the
// more requests they take.
func TestEvents_OfALongJob(t *testing.T) {
	for name, newestFirst := range map[string]bool{"oldest first": false, "newest first": true} {
		t.Run(name, func(t *testing.T) {
			events := []any{object{"id": "start", "created_at": ago(1300 * time.Second), "message": "Fine-tuning job started"}}
			for step := 1; step <= 1100; step++ {
				events = append(events, report(fmt.Sprint("e", step), time.Duration(1200-step)*time.Second, step, 0.5))
			}
			if newestFirst {
				slices.Reverse(events)
			}
			g := &gateway{
				jobs: []any{job("a", object{"status": "running", "finished_at": nil})}, checkpoints: map[string]any{"a": []any{}},
				events: map[string]any{"a": events}, pageSize: 100,
			}
			now := &clock{at: noon}
			client := newClient(t, g, ticking(now), func(c *config) { c.MaxEvents = 500 })
			for _, after := range []int{0, 30, 70} {
				now.advance(time.Duration(after) * time.Second)
				var found query.Notices
				before := g.calls("/events")
				runs, err := client.Runs(t.Context(), jobs.RunFilters{From: noon.Add(-24 * time.Hour), To: noon, Samples: true, Steps: true}, &found)
				require.NoError(t, err)
				all := runs[0].Steps
				require.Equal(t, 1100.0, all[len(all)-1].Step)
				require.LessOrEqual(t, len(all), 500)
				require.Equal(t, after != 30, g.calls("/events") > before)
				require.False(t, runs[0].LacksNewest)
				require.NoError(t, found.Incomplete(), "the newest events say what a run does now")
				if !newestFirst {
					require.Equal(t, ago(1300*time.Second), runs[0].Start.Unix())
				}
			}
		})
	}
}
