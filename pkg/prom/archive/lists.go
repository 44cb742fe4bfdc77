package archive

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// List lists what the platform has, and what the archive has if the range of the list starts before the edge. If one of both fails,
// the list of the other has a warning.
func (s *seam) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("archive", "")()
	if slices.Contains(s.dropped, q.Label) || q.Start.IsZero() || !q.Start.Before(s.edge()) {
		return s.platform.List(ctx, q)
	}
	older, newer, err := inParallel(ctx,
		func(ctx context.Context) (*promql.List, error) { return s.archive.List(ctx, q) },
		func(ctx context.Context) (*promql.List, error) { return s.platform.List(ctx, q) })
	switch {
	case err != nil:
		return nil, err
	case newer.err != nil && older.err != nil:
		return nil, newer.err
	case newer.err != nil:
		newer.value = incomplete(newer.err)
	case older.err != nil:
		older.value = incomplete(older.err)
	}
	merged := &promql.List{
		Names:    promql.Union(older.value.Names, newer.value.Names),
		Series:   mergeSeries(older.value.Series, newer.value.Series),
		Warnings: promql.Union(older.value.Warnings, newer.value.Warnings),
		Infos:    promql.Union(older.value.Infos, newer.value.Infos),
	}
	return merged.First(q.Limit), nil
}

// incomplete is the empty list of a source that failed.
func incomplete(err error) *promql.List {
	return &promql.List{Warnings: []string{fmt.Sprintf("%s The list is incomplete.", err)}}
}

func mergeSeries(older, newer []data.Labels) []data.Labels {
	byKey := map[string]data.Labels{}
	for _, labels := range slices.Concat(newer, older) {
		byKey[series.Key(labels)] = labels
	}
	merged := make([]data.Labels, 0, len(byKey))
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		merged = append(merged, byKey[key])
	}
	return merged
}
