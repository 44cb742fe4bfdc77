// Package archive evaluates queries where their samples are: on the platform, or on an archive that stores samples for longer, or on
// both, whose results it joins.
package archive

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

type seam struct {
	promql.Config
	platform, archive promql.Source
	// dropped are the labels that the archive's results lack, because it adds them, such as job and instance of the scrape.
	dropped []string
}

// New makes a source of a platform, with its config, and an archive without some labels.
func New(platform, archive promql.Source, c promql.Config, dropped []string) promql.Source {
	return &seam{c, platform, archive, dropped}
}

// Evaluate evaluates each step where all samples are that it needs. If one of both sources fails, so does the query, unless it allows a
// partial result.
func (s *seam) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("archive", "")()
	d := s.divide(q)
	switch {
	case d.archive == nil:
		return s.platform.Evaluate(ctx, q)
	case d.platform == nil:
		result, err := s.archive.Evaluate(ctx, *d.archive)
		if err == nil && d.info != "" {
			result.Infos = append(slices.Clone(result.Infos), d.info)
		}
		return result, err
	}
	older, newer, err := inParallel(ctx,
		func(ctx context.Context) (*promql.Result, error) { return s.archive.Evaluate(ctx, *d.archive) },
		func(ctx context.Context) (*promql.Result, error) { return s.platform.Evaluate(ctx, *d.platform) })
	if err != nil {
		return nil, err
	}
	seam := formatMinute(d.platform.Start)
	switch {
	case older.err == nil && newer.err == nil:
	case !d.platform.Partial || older.err != nil && newer.err != nil:
		return nil, cmp.Or(newer.err, older.err)
	case newer.err == nil:
		return newer.value.WithWarning(fmt.Sprintf("%s The steps before %s are missing.", older.err, seam)), nil
	default:
		return older.value.WithWarning(fmt.Sprintf("%s The steps from %s on are missing.", newer.err, seam)), nil
	}
	joined, err := promql.Join(s.Limits, older.value, newer.value)
	if err != nil {
		return nil, err
	}
	joined.Infos = append(joined.Infos, fmt.Sprintf("The steps before %s are from the archive, and the others from the platform.", seam))
	return joined, nil
}

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
	byKey := map[string]data.Labels{}
	for _, labels := range slices.Concat(newer.value.Series, older.value.Series) {
		byKey[series.Key(labels)] = labels
	}
	merged := &promql.List{
		Names:    promql.Union(older.value.Names, newer.value.Names),
		Warnings: promql.Union(older.value.Warnings, newer.value.Warnings),
		Infos:    promql.Union(older.value.Infos, newer.value.Infos),
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		merged.Series = append(merged.Series, byKey[key])
	}
	return merged.First(q.Limit), nil
}

// incomplete is the empty list of a source that failed.
func incomplete(err error) *promql.List {
	return &promql.List{Warnings: []string{fmt.Sprintf("%s The list is incomplete.", err)}}
}

const (
	// edgeUnit keeps the time at which a range is divided the same for a while, so that refreshes find their steps in the cache.
	edgeUnit = time.Hour
	// edgeMargin is by how much the clocks of Grafana and the platform may differ.
	edgeMargin = 5 * time.Minute
)

// edge is the time from which on the platform has all samples.
func (s *seam) edge() time.Time {
	return s.Now().Add(-s.Retention + edgeMargin + edgeUnit - 1).Truncate(edgeUnit)
}

// division says which steps of a query the archive evaluates, and which the platform. At least one of the two is set.
type division struct {
	archive, platform *promql.Query
	// info says why the archive evaluates steps of which the platform has the time.
	info string
}

// divide divides a query such that each step is evaluated where all samples that it needs are: from the edge on by the
// platform, and by the archive before. The archive has the samples after the edge, too, because it was fed with them. An instant query is
// one step.
func (s *seam) divide(q promql.Query) division {
	edge := s.edge().UnixMilli()
	needs := q.Needs
	if !needs.PromQL {
		return onArchive(q, edge)
	}
	// Some engines look back a step for any sample, or an interval.
	first := edge + needs.Lookback.Milliseconds() + cmp.Or(q.Step, s.Interval.Milliseconds())
	fixed := slices.Clone(needs.Fixed)
	if needs.AtStart {
		fixed = append(fixed, q.Start)
	}
	if needs.AtEnd {
		fixed = append(fixed, q.End)
	}
	switch {
	case needs.Window == 0: // no selector
		return division{platform: &q}
	case slices.ContainsFunc(fixed, func(at int64) bool { return at < first }), q.End < first:
		return onArchive(q, edge)
	case q.Start >= first:
		return division{platform: &q}
	case needs.AtStart || needs.AtEnd:
		return onArchive(q, edge)
	}
	seam := q.Start + (first-q.Start+q.Step-1)/q.Step*q.Step
	older, newer := q.Between(q.Start, seam-q.Step), q.Between(seam, q.End)
	return division{archive: &older, platform: &newer}
}

// onArchive lets the archive evaluate all steps, which is of interest if some of them are after the edge.
func onArchive(q promql.Query, edge int64) division {
	d := division{archive: &q}
	if q.End >= edge {
		d.info = fmt.Sprintf("A step of this expression may need older samples, so the archive evaluated all of them: the platform has those since %s.", formatMinute(edge))
	}
	return d
}

func formatMinute(at int64) string { return time.UnixMilli(at).UTC().Format("2006-01-02 15:04 MST") }

type outcome[T any] struct {
	value T
	err   error
}

// inParallel sends a request to both sources. An error of one that is no outage cancels the other, and is returned: there is no result then.
// So is a panic of one.
func inParallel[T any](ctx context.Context, archive, platform func(context.Context) (T, error)) (older, newer outcome[T], err error) {
	both, ctx := panics.NewGroup(ctx)
	request := func(from func(context.Context) (T, error), to *outcome[T]) {
		both.Go(func() error {
			if to.value, to.err = from(ctx); transport.IsOutage(to.err) {
				return nil
			}
			return to.err
		})
	}
	request(archive, &older)
	request(platform, &newer)
	err = both.Wait()
	return older, newer, err
}
