package archive

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

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
		return onArchive(q, edge, "Which samples a step of this expression needs is not known")
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
		return onArchive(q, edge, "Each step of this expression needs older samples")
	case q.Start >= first:
		return division{platform: &q}
	case needs.AtStart || needs.AtEnd:
		return onArchive(q, edge, "The values of this expression depend on its whole range")
	}
	seam := q.Start + (first-q.Start+q.Step-1)/q.Step*q.Step
	q.Limit, q.Timeout = 0, 0 // those of the HTTP API are for one source
	older, newer := q.Between(q.Start, seam-q.Step), q.Between(seam, q.End)
	return division{archive: &older, platform: &newer}
}

// onArchive lets the archive evaluate all steps. The reason is of interest if some of them are after the edge.
func onArchive(q promql.Query, edge int64, reason string) division {
	q.Limit, q.Timeout = 0, 0
	d := division{archive: &q}
	if q.End >= edge {
		d.info = fmt.Sprintf("%s, so the archive evaluated all of them: the platform has those since %s.", reason, formatMinute(edge))
	}
	return d
}

func formatMinute(at int64) string { return time.UnixMilli(at).UTC().Format("2006-01-02 15:04 MST") }
