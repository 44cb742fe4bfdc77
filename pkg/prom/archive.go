package prom

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Archive is a Prometheus API that stores samples for longer than the platform. Queries of older samples go to it.
type Archive struct {
	// Client sends requests to the archive. It has no archive itself.
	Client *Client
	// DropLabels are the labels that the archive adds to each series, such as job and instance of the scrape. They are removed
	// from its results.
	DropLabels []string
}

// Unlimited is the retention of an archive, which is not known: it is longer than any range.
const Unlimited = 100 * 365 * 24 * time.Hour

const (
	// archiveMaxAge is how long results of an archive are reused: a backfill adds samples of the past.
	archiveMaxAge = 24 * time.Hour
	// edgeUnit keeps the time at which a range is divided the same for a while, so that refreshes find their steps in the cache.
	edgeUnit = time.Hour
	// edgeMargin is by how much the clocks of Grafana and the platform may differ.
	edgeMargin = 5 * time.Minute
)

// edge is the time from which on the platform has all samples.
func (c *Client) edge() time.Time {
	return c.Now().Add(-c.Retention + edgeMargin + edgeUnit - 1).Truncate(edgeUnit)
}

// Oldest is the time before which, at a time, neither the platform nor the archive has samples; zero if that is not known.
func (c *Client) Oldest(now time.Time) time.Time {
	if c.Archive != nil {
		return time.Time{}
	}
	return now.UTC().Add(-c.Retention)
}

// division says which steps of a query the archive evaluates, and which the platform. At least one of the two is set.
type division struct {
	archive, platform *parsedQuery
	// info says why the archive evaluates steps of which the platform has the time.
	info string
}

// divide divides a range query such that each step is evaluated where all samples that it needs are: from the edge on by the
// platform, and by the archive before. The archive has the samples after the edge, too, because it was fed with them.
func (c *Client) divide(q *parsedQuery) division {
	edge := c.edge()
	needs := q.Needs
	if !needs.PromQL {
		if lookback, ok := promql.WrittenLookback(q.Expr, q.Step); ok && !q.Start.Add(-lookback).Before(edge) {
			return division{platform: q}
		}
		return c.wholly(q, edge, "Which samples a step of this expression needs is not known")
	}
	// Some engines look back a step for any sample.
	lookback := needs.Lookback + q.Step
	first := edge.Add(lookback)
	fixed := slices.Clone(needs.Fixed)
	if needs.AtStart {
		fixed = append(fixed, q.Start.UnixMilli())
	}
	if needs.AtEnd {
		fixed = append(fixed, q.End.UnixMilli())
	}
	fixedBeforeEdge := slices.ContainsFunc(fixed, func(at int64) bool { return time.UnixMilli(at).Before(first) })
	switch {
	case needs.Window == 0: // no selector
		return division{platform: q}
	case fixedBeforeEdge, q.End.Before(first):
		return c.wholly(q, edge, "Each step of this expression needs older samples")
	case !q.Start.Before(first):
		return division{platform: q}
	case needs.AtStart || needs.AtEnd:
		return c.wholly(q, edge, "The values of this expression depend on its whole range")
	}
	seam := q.Start.Add((first.Sub(q.Start) + q.Step - 1).Truncate(q.Step))
	if seam.After(q.End) {
		return c.wholly(q, edge, "Each step of this expression needs older samples")
	}
	older, newer := *q, *q
	older.End, newer.Start = seam.Add(-q.Step), seam
	return division{archive: &older, platform: &newer}
}

// wholly lets the archive evaluate all steps. The reason is of interest if some of them are after the edge.
func (c *Client) wholly(q *parsedQuery, edge time.Time, reason string) division {
	d := division{archive: q}
	if !q.End.Before(edge) {
		d.info = fmt.Sprintf("%s, so the archive evaluated all of them: the platform has those since %s.", reason, formatMinute(edge))
	}
	return d
}

// divideInstant is [Client.divide] for an instant query.
func (c *Client) divideInstant(q *parsedQuery) division {
	at := *q
	at.Start, at.End, at.Step = q.At, q.At, c.MinStep
	d := c.divide(&at)
	if d.archive != nil {
		d.archive = q
	} else {
		d.platform = q
	}
	return d
}

// needsArchive reports whether the archive evaluates any step of a range query.
func (c *Client) needsArchive(q *parsedQuery) bool {
	return c.Archive != nil && c.divide(q).archive != nil
}

// Check runs the cheapest range query of an archive; see [Client.Check].
func (a *Archive) Check(ctx context.Context) error { return a.Client.Check(ctx) }

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
