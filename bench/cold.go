package main

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
)

const (
	coldRounds = 5
	// slowDay is what a day of samples takes on a slow platform.
	slowDay = 50 * time.Millisecond
)

// cold compares a panel that is in no cache, on a slow platform and on a fast one, with one request for its whole range: the
// first of a data source, and one after that. The results must be the same to the byte.
func cold(_ context.Context, _ options, r *report.Report) error {
	for _, perDay := range []time.Duration{slowDay, 0} {
		group := r.Group("Cold panel of %s × 64 series at %s, on a platform that takes %s for a day, compared with one request; medians of %d",
			short(longSpan), short(longStep), perDay, coldRounds)
		panels := []*coldPanel{{name: "the first", expr: longExpr}, {name: "another", expr: "DCGM_FI_DEV_GPU_TEMP"}}
		for range coldRounds {
			if err := coldRound(perDay, panels); err != nil {
				return err
			}
		}
		goal := report.AtMost(0.6)
		if perDay == 0 {
			goal = report.Goal{}
		}
		for _, p := range panels {
			group.Compare(p.name, report.Took(timing.Median(p.ours)), report.Took(timing.Median(p.whole)), goal)
			group.Figure("  upstream requests", report.Number(p.requests), report.Goal{})
		}
	}
	return nil
}

// coldPanel is a panel and its times with the cache, and in one request.
type coldPanel struct {
	name, expr  string
	ours, whole []time.Duration
	requests    int
}

func coldRound(perDay time.Duration, panels []*coldPanel) error {
	both, err := newComparison(0)
	if err != nil {
		return err
	}
	defer both.close()
	both.cached.perDay, both.uncached.perDay = perDay, perDay
	for _, p := range panels {
		before := both.cached.requests()
		ours, err := both.cached.look(p.expr)
		if err != nil {
			return err
		}
		whole, err := both.uncached.look(p.expr)
		if err != nil {
			return err
		}
		if !bytes.Equal(ours, whole) {
			return errors.New("the results differ")
		}
		p.ours, p.whole = append(p.ours, both.cached.times[len(both.cached.times)-1]), append(p.whole, both.uncached.times[len(both.uncached.times)-1])
		p.requests = both.cached.requests() - before
	}
	return nil
}

// look runs the query of a long panel and returns its marshaled frames.
func (s *side) look(expr string) (marshaled []byte, err error) {
	err = s.time(func() error {
		frames, err := s.client.QueryData(context.Background(), s.panel(expr, longSpan, longStep), false)
		if err != nil {
			return err
		}
		all, err := frames.MarshalArrow()
		marshaled = bytes.Join(all, nil)
		return err
	})
	return marshaled, err
}
