package results

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	day = 24 * time.Hour
	// minWindows is how many times as long as the window of the expression a part is at least, because every part reads the
	// samples of a window before its first step.
	minWindows = 4
	// maxParts bounds the parts of a range, which are longer than a day in an archive of years.
	maxParts = 32
	// defaultSlowAfter is a third of the time after which a panel fails by default, which is 30 seconds.
	defaultSlowAfter = 10 * time.Second
	// slowTTL is how long ranges are split after the platform was slow.
	slowTTL = time.Hour
)

// part is a request for a range, and the response.
type part struct {
	promql.Query
	response *promql.Result
}

func (p part) steps() stepRange { return stepRange{p.Start, p.End} }

func (c *Cache) isSlow() bool { return c.SlowAfter < 0 || c.now() < c.slowUntil.Load() }

// isTooLong reports whether a range query failed because of its length: the engine ran out of time, or it would read more samples
// than it may. Prometheus and VictoriaMetrics say the latter with the status 422.
func isTooLong(err error) bool {
	var failed *transport.Error
	return errors.As(err, &failed) && (errors.Is(err, transport.ErrTimeout) || failed.Status == http.StatusUnprocessableEntity)
}

// mostParts is into how many parts each of so many ranges may be split. They take a quarter of the requests that the query may send at
// most: the other side of an archive's seam, a point at the end and an instant query need some, too.
func mostParts(ctx context.Context, ranges int) int64 {
	return int64(min(maxParts, transport.Left(ctx)/4/max(1, ranges)))
}

// split splits the ranges of a plan at midnight UTC. Query front-ends split and cache ranges at the same times, and there may be
// one on the platform. It splits none into more parts than most, and none that would have parts too short for the window of the query.
func (c *Cache) split(plan fetchPlan, r request, most int64) []part {
	var parts []part
	// Some engines look back a step for any sample.
	window := r.Needs.Window.Milliseconds() + r.Step
	for _, s := range plan.fetch {
		unit := max(day.Milliseconds(), ceil((s.end-s.start)/max(1, most-1), day.Milliseconds()))
		if most < 2 || minWindows*window > unit || c.mayBeAligned(r) {
			parts = append(parts, part{Query: r.Between(s.start, s.end)})
			continue
		}
		of := r.Query
		of.Part = &promql.Total{}
		for start := s.start; start <= s.end; {
			midnight := floor(start, unit) + unit
			next := min(start+ceil(midnight-start, r.Step), s.end+r.Step)
			parts = append(parts, part{Query: of.Between(start, next-r.Step)})
			start = next
		}
	}
	return parts
}
