package jobs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

// thirtyDays is a gateway with 500 jobs of 6 checkpoints over 30 days, and a latency of 50 ms.
func thirtyDays() *gateway {
	g := &gateway{checkpoints: map[string]any{}, latency: 50 * time.Millisecond}
	for i := range 500 {
		id := fmt.Sprintf("ftjob-%03d", i)
		start := time.Duration(i+2) * 85 * time.Minute
		g.jobs = append(g.jobs, job(id, object{"created_at": ago(start), "finished_at": ago(start - time.Hour)}))
		var all []any
		for n := range 6 {
			all = append(all, checkpoint(fmt.Sprintf("%s-%d", id, n), n*10, start-time.Duration(n+1)*9*time.Minute, object{"train_loss": 1 / float64(n+1), "valid_loss": 1.1 / float64(n+1)}))
		}
		g.checkpoints[id] = all
	}
	return g
}

// BenchmarkAnnotationsFirst is the first query of a data source: its duration and the number of annotations.
func BenchmarkAnnotationsFirst(b *testing.B) {
	g := thirtyDays()
	for b.Loop() {
		client := newClient(b, g, asUsers)
		b.ReportMetric(float64(annotate(b, client)), "annotations")
		client.Close()
	}
}

// BenchmarkAnnotationsRepeated is every further query.
func BenchmarkAnnotationsRepeated(b *testing.B) {
	g := thirtyDays()
	client := newClient(b, g, asUsers)
	for annotate(b, client) < 3500 {
	}
	before := g.calls("")
	for b.Loop() {
		annotate(b, client)
	}
	b.ReportMetric(float64(g.calls("")-before), "calls")
}

// asUsers uses the default timeout of details.
func asUsers(c *config) { c.DetailsTimeout = 0 }

func annotate(b *testing.B, client *jobs.Client) int {
	b.Helper()
	q := dataQuery(b, nil)
	q.TimeRange.From = noon.Add(-30 * 24 * time.Hour)
	frames, err := queryData(client, b.Context(), "fineTuningAnnotations", q, false)
	if err != nil {
		b.Fatal(err)
	}
	return frames[0].Rows()
}
