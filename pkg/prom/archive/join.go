package archive

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// join joins the results of a query on two consecutive ranges. Series are in the order of one response, which is that of their
// labels. Its error is that of [promql.Limits.Check].
func (s *seam) join(older, newer *promql.Result, seam string) (*promql.Result, error) {
	joined := &promql.Result{
		Type: promql.Matrix, Warnings: promql.Union(older.Warnings, newer.Warnings), Infos: promql.Union(older.Infos, newer.Infos),
		Origin: promql.Origin{
			FetchedSteps: older.Origin.FetchedSteps + newer.Origin.FetchedSteps,
			CachedSteps:  older.Origin.CachedSteps + newer.Origin.CachedSteps,
			AsOf:         min(older.Origin.AsOf, newer.Origin.AsOf),
		},
	}
	joined.Matrix = series.Merge(older.Matrix.Ordered(), newer.Matrix.Ordered())
	if err := s.Limits.Check(len(joined.Matrix.Series), joined.Matrix.Samples()); err != nil {
		return nil, err
	}
	joined.Infos = append(joined.Infos, fmt.Sprintf("The steps before %s are from the archive, and the others from the platform.", seam))
	if len(joined.Matrix.Series) == len(older.Matrix.Series)+len(newer.Matrix.Series) {
		joined.Infos = append(joined.Infos, nothingInCommon(older.Matrix, newer.Matrix)...)
	}
	return joined, nil
}

// nothingInCommon says why no series of the platform continues one of the archive.
func nothingInCommon(older, newer *series.Matrix) []string {
	if len(older.Series) == 0 || len(newer.Series) == 0 {
		return nil // the time without samples is seen
	}
	added := older.LabelNames()
	for name := range newer.LabelNames() {
		delete(added, name)
	}
	if len(added) == 0 {
		return []string{"No series of the platform continues one of the archive: they have other labels."}
	}
	return []string{fmt.Sprintf("No series of the platform continues one of the archive, whose series have the labels %s besides. "+
		"If the archive added them, drop them in the data source's settings, section Archive.",
		query.Cut(strings.Join(slices.Sorted(maps.Keys(added)), ", "), 1000))}
}

// dropLabels removes labels from the series of a result of the archive. Of series that become equal, the first stays.
func (s *seam) dropLabels(result *promql.Result) *promql.Result {
	own := *result
	if len(s.dropped) == 0 || result.Type == promql.String {
		return &own
	}
	var equal int
	own.Matrix, equal = result.Matrix.WithLabels(func(of series.Series) data.Labels { return s.without(of.Labels) })
	if equal == 0 {
		return &own
	}
	return own.WithWarning(fmt.Sprintf("%d series of the archive differ from others only in the labels %s, which the settings drop. One of each is shown.",
		equal, strings.Join(s.dropped, ", ")))
}

// without are labels without those that are dropped.
func (s *seam) without(labels data.Labels) data.Labels {
	kept := maps.Clone(labels)
	for _, name := range s.dropped {
		delete(kept, name)
	}
	return kept
}
