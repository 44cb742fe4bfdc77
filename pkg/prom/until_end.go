package prom

import (
	"context"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// endsEarly reports whether a query with the option UntilEnd needs a point at its end, because its last step is more than the
// lookback delta before: points are at multiples of the step, which can be hours.
func (q *parsedQuery) endsEarly() bool {
	return q.UntilEnd && q.Format == formatTimeSeries && q.At.Sub(q.End) > promql.LookbackDelta
}

// addEndPoint adds a point at the end of the range to each series: the result of an instant query. Its time is a multiple of
// the scrape interval, so that all queries of a dashboard have the same. Warnings and infos of both queries are merged. Results with
// native histograms have none.
func (c *Client) addEndPoint(ctx context.Context, q *parsedQuery, ranged *promjson.Result) (*promjson.Result, error) {
	end := *q
	end.At = align(q.At, c.MinStep, 0)
	newest, _, err := c.runInstant(ctx, &end)
	if err != nil {
		return nil, err
	}
	whole := *ranged
	whole.Warnings, whole.Infos = union(ranged.Warnings, newest.Warnings), union(ranged.Infos, newest.Infos)
	at := end.At.UnixMilli()
	point, ok := series.OfFrames(newest.Frames, series.Grid{Start: at, End: at, Step: q.Step.Milliseconds()})
	m := ranged.Matrix
	if m == nil { // some engines move the steps of a range to multiples of the step
		m, _ = series.OfFrames(ranged.Frames, series.Grid{Start: align(q.Start, q.Step, 0).UnixMilli(), End: q.End.UnixMilli(), Step: q.Step.Milliseconds()})
	}
	if ok && m != nil && at > m.End {
		whole.Matrix, whole.Frames = series.Merge(sorted(m), sorted(point)), nil
	}
	return &whole, nil
}

// union merges two lists into a new one, which is not nil, without duplicates. The lists share their memory with the cache.
func union(a, b []string) []string {
	all := append(append([]string{}, a...), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
