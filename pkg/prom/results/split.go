package results

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	day = 24 * time.Hour
	// minWindows is how many times as long as the window of the expression a day is at least, because every part reads the
	// samples of a window before its first step.
	minWindows = 4
	// maxParts bounds the parts of a range, which are longer than a day in an archive of years.
	maxParts = 32
	// defaultSlowAfter is a third of the timeout of requests by default, which is 30 seconds.
	defaultSlowAfter = 10 * time.Second
	// slowTTL is how long ranges are split after the platform was slow.
	slowTTL = time.Hour
)

// part is a request for a range, and the response.
type part struct {
	promql.Query
	response *promql.Result
}

func (c *Cache) isSlow() bool { return c.SlowAfter < 0 || c.now() < c.slowUntil.Load() }

// tookLong reports whether the platform took long for a response. The waits before it was sent don't count: they are longer the more
// requests there are.
func (c *Cache) tookLong(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.response != nil && p.response.Took > c.SlowAfter })
}

// ranOutOfTime reports whether the platform had not enough time for a query: it says so, or it had the query for long when the
// client's time was over.
func (c *Cache) ranOutOfTime(err error) bool {
	var failed *transport.Error
	return errors.As(err, &failed) && errors.Is(err, transport.ErrTimeout) && (failed.Status != 0 || failed.Took > c.SlowAfter)
}

// limitsOfRange are the messages about a query that reads more than it may, which a shorter range may not. All engines send those of
// other errors of an execution with the same status.
//
// Sources: Prometheus promql/engine.go (ErrTooManySamples); VictoriaMetrics app/vmselect/netstorage/netstorage.go and promql/eval.go; Mimir
// pkg/util/limiter/query_limiter.go; Thanos pkg/store/bucket.go.
var limitsOfRange = regexp.MustCompile(`too many samples|-search\.max(SamplesPer(Query|Series)|MemoryPerQuery)|not enough memory for processing|` +
	`maximum number of chunks|estimated number of chunks|aggregated chunks size|time range exceeds the limit|` +
	`err-mimir-max-(total-query-length|query-length|estimated-memory-consumption-per-query)|exceeded (samples|chunks|bytes) limit`)

// wasTooMuch reports whether the engine refused a query because of how much it would read.
func wasTooMuch(err error) bool {
	var failed *transport.Error
	return errors.As(err, &failed) && failed.Status == http.StatusUnprocessableEntity && limitsOfRange.MatchString(failed.Message)
}

// mostParts is into how many parts each of so many ranges may be split. They take a quarter of the requests that the query may send at
// most: the other side of an archive's seam, a point at the end and an instant query need some, too.
func mostParts(ctx context.Context, ranges int) int64 {
	return int64(min(maxParts, transport.Left(ctx)/4/max(1, ranges)))
}

// split splits the ranges of a plan at midnight UTC. Query front-ends split and cache ranges at the same times, and there may be
// one on the platform. It splits none into more parts than most, and none by a window of which a day has less than four.
func (c *Cache) split(plan fetchPlan, r request, most int64) []part {
	var parts []part
	// Some engines look back a step for any sample.
	window := r.Needs.Window.Milliseconds() + r.Step
	for _, s := range plan.fetch {
		unit := max(day.Milliseconds(), ceil((s.end-s.start)/max(1, most-1), day.Milliseconds()))
		if most < 2 || minWindows*window > day.Milliseconds() || c.mayBeAligned(nil, r) {
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
