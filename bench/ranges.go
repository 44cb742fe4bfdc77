package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
)

const (
	day      = 24 * time.Hour
	longSpan = 30 * day
	longStep = 30 * time.Minute
	longExpr = "DCGM_FI_DEV_GPU_UTIL"
)

// scroll compares looking through 30 days, a week at a time and half a week further each time, to the beginning and back.
func scroll(_ context.Context, o options, r *report.Report) error {
	group := r.Group("Scrolling through 30 d × 64 series, a week at a time, back and forth, compared with no cache")
	both, err := newComparison(o.latency)
	if err != nil {
		return err
	}
	defer both.close()
	const window, by = 7 * day, 7 * day / 2
	var ends []time.Time
	for end := now; now.Sub(end) <= longSpan-window; end = end.Add(-by) {
		ends = append(ends, end)
	}
	for _, end := range append(ends, backwards(ends[:len(ends)-1])...) {
		err := both.each(func(s *side) error {
			return s.time(func() error { return query(s.client, rangeQuery(longExpr, end.Add(-window), end, longStep)) })
		})
		if err != nil {
			return err
		}
	}
	both.compare(group, goals{})
	return nil
}

func backwards(times []time.Time) []time.Time {
	reversed := slices.Clone(times)
	slices.Reverse(reversed)
	return reversed
}

// refresh measures what a dashboard's refresh requests and takes, a step later, once its panel has been seen. Were it the range
// that counts, the longer of the two would take four times as long.
func refresh(_ context.Context, o options, r *report.Report) error {
	group := r.Group("Refreshing a panel of 64 series at 30 min, a step later, compared with its first result; medians")
	long, quarter := &refreshed{span: longSpan}, &refreshed{span: longSpan / 4}
	for round := range o.rounds {
		for _, panel := range timing.Turns(round, long, quarter) {
			if err := panel.round(o.latency); err != nil {
				return err
			}
		}
	}
	long.report(group)
	group.Figure("samples requested of "+long.name(), report.Figure{Value: long.share, Unit: report.Share}, report.NoMore(report.Figure{Value: 0.02, Unit: report.Share}))
	quarter.report(group)
	group.Compare(fmt.Sprintf("%s, compared with %s, both warm", long.name(), quarter.name()),
		report.Took(timing.Median(long.warm)), report.Took(timing.Median(quarter.warm)), report.AtMost(1.5))
	return nil
}

// refreshed is a panel that is seen and then refreshed, a few times.
type refreshed struct {
	span       time.Duration
	cold, warm []time.Duration
	// share of its samples that a refresh requests.
	share float64
}

func (p *refreshed) name() string { return short(p.span) }

func (p *refreshed) report(group report.Group) {
	group.Compare(p.name()+", warm and cold", report.Took(timing.Median(p.warm)), report.Took(timing.Median(p.cold)), report.Goal{})
}

// round runs the query and, a step later, runs it again, with a cache and a platform of its own.
func (p *refreshed) round(latency time.Duration) error {
	s, err := newSide(latency, cacheLimit)
	if err != nil {
		return err
	}
	defer s.close()
	look := func() error {
		return s.time(func() error { return query(s.client, s.panel(longExpr, p.span, longStep)) })
	}
	if err := look(); err != nil {
		return err
	}
	whole := s.steps.Swap(0)
	s.pass(longStep)
	if err := look(); err != nil {
		return err
	}
	p.cold, p.warm = append(p.cold, s.times[0]), append(p.warm, s.times[1])
	p.share = float64(s.steps.Load()) / float64(whole)
	return nil
}

// scale measures one panel with more and more series, which are as many frames.
func scale(_ context.Context, o options, r *report.Report) error {
	group := r.Group("One panel of 10 min at 60 s: refreshed a minute later, compared with its first result; cache of 256 MB")
	for _, series := range []int{64, 512, 4096, 20_000, 80_000} {
		rounds := o.rounds
		if series > 10_000 {
			rounds = 1 // they take seconds, which evens out what disturbs them
		}
		var cold, warm []time.Duration
		for range rounds {
			times, err := seenTwice(series, o.latency)
			if err != nil {
				return err
			}
			cold, warm = append(cold, times[0]), append(warm, times[1])
		}
		group.Compare(fmt.Sprintf("%d series", series), report.Took(timing.Median(warm)), report.Took(timing.Median(cold)), report.Goal{})
	}
	return nil
}

// seenTwice measures a panel's first response, and that of a minute later.
func seenTwice(series int, latency time.Duration) (times [2]time.Duration, err error) {
	s := newTestbed(series, latency)
	defer s.close()
	client, err := s.client(256 << 20)
	if err != nil {
		return times, err
	}
	defer client.Close()
	for i := range times {
		times[i], err = timing.Of(func() error {
			frames, err := framesOf(client, s.panel(longExpr, 10*time.Minute, time.Minute))
			if err == nil && len(frames) != series {
				err = fmt.Errorf("%d series instead of %d", len(frames), series)
			}
			return err
		})
		if err != nil {
			return times, err
		}
		s.pass(time.Minute)
	}
	return times, nil
}

// short writes a duration in its largest unit: 6 h, 30 d.
func short(d time.Duration) string {
	units := []struct {
		length time.Duration
		name   string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "min"}}
	for _, unit := range units {
		if d >= unit.length {
			return strconv.FormatFloat(float64(d)/float64(unit.length), 'f', -1, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}
