package promclient

import (
	"context"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promql"
)

// endsEarly reports whether a query with the option UntilEnd needs a point at its end, because its last step is more than the
// lookback delta before: points are at multiples of the step, which can be hours.
func (q *parsedQuery) endsEarly() bool {
	return q.UntilEnd && q.Format == formatTimeSeries && q.At.Sub(q.End) > promql.LookbackDelta
}

// addEndPoint adds a point at the end of the range to each series: the result of an instant query. Its time is a multiple of
// the scrape interval, so that all queries of a dashboard have the same. Warnings and infos of both queries are merged.
func (c *Client) addEndPoint(ctx context.Context, q *parsedQuery, ranged *promjson.Result) error {
	end := *q
	end.At = align(q.At, c.MinStep, 0)
	result, _, err := c.runInstant(ctx, &end)
	if err != nil {
		return err
	}
	ranged.Warnings, ranged.Infos = union(ranged.Warnings, result.Warnings), union(ranged.Infos, result.Infos)
	byLabels := make(map[data.Fingerprint]*data.Frame, len(ranged.Frames))
	for _, frame := range ranged.Frames {
		byLabels[frame.Fields[1].Labels.Fingerprint()] = frame
	}
	for _, newest := range result.Frames {
		frame, ok := byLabels[newest.Fields[1].Labels.Fingerprint()]
		switch {
		case !ok:
			ranged.Frames = append(ranged.Frames, newest)
		case newest.Rows() == 1 && len(newest.Fields) == 2 && len(frame.Fields) == 2 && frame.Fields[1].Type() == newest.Fields[1].Type():
			// Fields share their values with the cache.
			for i, field := range newest.Fields {
				frame.Fields[i] = joinFields(frame.Fields[i], field)
			}
		}
	}
	return nil
}

// union merges two lists into a new one, which is not nil, without duplicates. The lists share their memory with the cache.
func union(a, b []string) []string {
	all := append(append([]string{}, a...), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
