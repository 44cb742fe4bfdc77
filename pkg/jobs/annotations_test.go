package jobs_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

const month = 30 * 24 * time.Hour

// drawnOver queries annotations over a range that ends at noon.
func drawnOver(t *testing.T, client *jobs.Client, span time.Duration, options object) data.Frames {
	t.Helper()
	q := dataQuery(t, options)
	q.TimeRange.From, q.TimeRange.To = noon.Add(-span), noon
	frames, err := queryData(client, context.Background(), "fineTuningAnnotations", q, false)
	require.NoError(t, err)
	requireValid(t, frames[0])
	return frames
}

// overlapping are n jobs of three days each in the past 30 days, with 20 checkpoints each. Every tenth job failed.
func overlapping(n int) *gateway {
	g := &gateway{checkpoints: map[string]any{}}
	for i := range n {
		id := fmt.Sprintf("job-%03d", i)
		startedJobs := month - time.Hour - time.Duration(i)*26*24*time.Hour/time.Duration(n)
		status := "succeeded"
		if i%10 == 0 {
			status = "failed"
		}
		g.jobs = append(g.jobs, job(id, object{"created_at": ago(startedJobs), "finished_at": ago(startedJobs - 72*time.Hour), "status": status}))
		var saved []any
		for c := range 20 {
			saved = append(saved, checkpoint(fmt.Sprintf("%s-%d", id, c), c, startedJobs-time.Duration(c+1)*time.Hour, object{"train_loss": 1.5}))
		}
		g.checkpoints[id] = saved
	}
	return g
}

// idsOf counts annotations by the prefix of their ids, and those of starts and ends by the suffix.
func idsOf(t *testing.T, frame *data.Frame) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, id := range values(t, frame, "id") {
		kind, rest, _ := strings.Cut(id.(string), ":")
		if _, side, isMark := strings.Cut(rest, ":"); isMark && kind == "job" {
			kind = side
		}
		counts[kind]++
	}
	return counts
}

func TestAnnotations_PointText(t *testing.T) {
	g := overlapping(30)
	g.jobs[0].(object)["suffix"] = "support <b>bot</b>"
	g.jobs[0].(object)["error"] = object{"message": "CUDA out of memory"}
	client := newClient(t, g, func(c *config) { c.Links.Console = "https://console.example.com/jobs/{jobId}" })
	frame := drawnOver(t, client, month, object{"show": []string{"jobs"}})[0]
	for _, point := range []struct{ id, title, color string }{
		{"job:job-000:start", "Fine-tuning job support &lt;b&gt;bot&lt;/b&gt;: created", "blue"},
		{"job:job-000:end", "Fine-tuning job support &lt;b&gt;bot&lt;/b&gt;: failed", "red"},
		{"job:job-001:end", "Fine-tuning job job-001: succeeded", "green"},
	} {
		row := -1
		for i, id := range values(t, frame, "id") {
			if id == point.id {
				row = i
			}
		}
		require.GreaterOrEqual(t, row, 0, point.id)
		require.Equal(t, point.title, values(t, frame, "title")[row])
		require.Equal(t, point.color, values(t, frame, "color")[row])
		if strings.HasPrefix(point.id, "job:job-000") {
			text := values(t, frame, "text")[row].(string)
			require.Contains(t, text, "failed · llama-8b · 72h0m0s · CUDA out of memory · job-000")
			require.Contains(t, text, `<a href="d/gpucloud-fine-tuning?from=`)
			require.Contains(t, text, `&amp;var-datasource=gpucloud&amp;var-job=job-000">Show this job</a>`)
			require.Contains(t, text, `<a href="https://console.example.com/jobs/job-000" target="_blank">Open in console</a>`)
		}
	}
}

func TestAnnotations_LinksEscaped(t *testing.T) {
	g := &gateway{jobs: []any{job(`x"><b>&y`, nil)}}
	client := newClient(t, g, func(c *config) { c.Links.Console = "https://console.example.com/{jobId}" })
	text := values(t, drawnOver(t, client, month, object{"show": []string{"jobs"}})[0], "text")[0].(string)
	require.NotContains(t, text, "<b>")
	require.Contains(t, text, "var-job=x%22%3E%3Cb%3E%26y\"")
	require.Contains(t, text, "https://console.example.com/x%22%3E%3Cb%3E%26y\"")
}

// spans are jobs with the given hours of start and end before noon.
func spans(hours ...[2]int) *gateway {
	g := &gateway{}
	for i, h := range hours {
		g.jobs = append(g.jobs, job(fmt.Sprintf("job-%d", i), object{
			"created_at": ago(time.Duration(h[0]) * time.Hour), "finished_at": ago(time.Duration(h[1]) * time.Hour),
		}))
	}
	g.withEmptyDetails()
	return g
}

func TestAnnotations_FewJobsAsRegions(t *testing.T) {
	for name, test := range map[string]struct {
		jobs *gateway
		want map[string]int
	}{
		"one job":                          {spans([2]int{20, 10}), map[string]int{"job": 1}},
		"two at once":                      {spans([2]int{20, 10}, [2]int{15, 5}), map[string]int{"job": 2}},
		"three at once":                    {spans([2]int{20, 10}, [2]int{15, 5}, [2]int{14, 6}), map[string]int{"start": 3, "end": 3}},
		"three, one after the other":       {spans([2]int{20, 15}, [2]int{15, 10}, [2]int{10, 5}), map[string]int{"job": 3}},
		"three, of which two are over":     {spans([2]int{20, 15}, [2]int{20, 15}, [2]int{15, 10}), map[string]int{"job": 3}},
		"six, one after the other":         {spans([2]int{20, 19}, [2]int{18, 17}, [2]int{16, 15}, [2]int{14, 13}, [2]int{12, 11}, [2]int{10, 9}), map[string]int{"job": 6}},
		"seven, one after the other":       {spans([2]int{20, 19}, [2]int{18, 17}, [2]int{16, 15}, [2]int{14, 13}, [2]int{12, 11}, [2]int{10, 9}, [2]int{8, 7}), map[string]int{"start": 7, "end": 7}},
		"three longer than the range":      {spans([2]int{30, -1}, [2]int{31, -1}, [2]int{32, -1}), map[string]int{}},
		"three of which two began earlier": {spans([2]int{30, 10}, [2]int{31, 9}, [2]int{12, 8}), map[string]int{"start": 1, "end": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, idsOf(t, drawnOver(t, newClient(t, test.jobs), 24*time.Hour, nil)[0]))
		})
	}
}

func TestAnnotations_FailuresKept(t *testing.T) {
	frames := drawnOver(t, newClient(t, overlapping(200)), month, object{"show": []string{"jobs"}})
	colors, parts := map[any]int{}, map[int64]int{}
	for row, color := range values(t, frames[0], "color") {
		colors[color]++
		if color != "red" {
			parts[frames[0].Fields[0].At(row).(time.Time).UnixMilli()/(month.Milliseconds()/100)]++
		}
	}
	require.Equal(t, 20, colors["red"])
	require.Greater(t, colors["green"], 20)
	for part, points := range parts {
		require.Equal(t, 1, points, "one in each hundredth of the range: %d", part)
	}
	require.Contains(t, notices(frames), fmt.Sprintf("Only %d of 400 annotations are drawn, failures first.", frames[0].Rows()))
	require.Greater(t, len(parts), 30, "they are of the whole range")

	g := overlapping(100)
	for _, one := range g.jobs {
		one.(object)["status"] = "failed"
	}
	frames = drawnOver(t, newClient(t, g), month, object{"show": []string{"jobs"}})
	require.Equal(t, 100, idsOf(t, frames[0])["end"])
}
