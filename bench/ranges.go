package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics"
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
	ours, err := look30Days(o.latency, cacheLimit)
	if err != nil {
		return err
	}
	without, err := look30Days(o.latency, 0)
	if err != nil {
		return err
	}
	group.Compare("upstream requests", report.Number(ours.requests), report.Number(without.requests), report.Goal{})
	group.Compare("upstream bytes", report.Size(ours.bytes), report.Size(without.bytes), report.Goal{})
	group.Compare("query, p50", report.Took(median(ours.times)), report.Took(median(without.times)), report.Goal{})
	return nil
}

func look30Days(latency time.Duration, cacheBytes int) (load, error) {
	s := newStage(64, latency)
	defer s.close()
	client, err := s.client(cacheBytes)
	if err != nil {
		return load{}, err
	}
	defer client.Close()
	const window, by = 7 * day, 7 * day / 2
	var ends []time.Time
	for end := s.clock(); end.Sub(s.clock().Add(-longSpan)) >= window; end = end.Add(-by) {
		ends = append(ends, end)
	}
	for i := len(ends) - 2; i >= 0; i-- {
		ends = append(ends, ends[i])
	}
	var l load
	for _, end := range ends {
		took, err := timed(func() error { return ask(client, rangeQuery(longExpr, end.Add(-window), end, longStep)) })
		if err != nil {
			return l, err
		}
		l.times = append(l.times, took)
	}
	l.requests, l.bytes = s.requests(), s.Counters().BytesSent
	return l, nil
}

// refresh measures what a dashboard's refresh asks for and takes, a step later, once its panel has been seen.
func refresh(_ context.Context, o options, r *report.Report) error {
	group := r.Group("Refreshing a panel of 64 series at 30 min, a step later, compared with its first answer")
	var warm [2]time.Duration
	for i, span := range []time.Duration{longSpan, longSpan / 4} {
		first, again, share, err := refreshed(span, o)
		if err != nil {
			return err
		}
		warm[i] = again
		group.Compare(short(span)+", warm and cold", report.Took(again), report.Took(first), report.Goal{})
		if i == 0 {
			group.Figure("samples asked of "+short(span), report.Figure{Value: share, Unit: report.Share}, report.NoMore(report.Figure{Value: 0.02, Unit: report.Share}))
		}
	}
	// Were it the range that counts, it would be four times as much.
	group.Compare(fmt.Sprintf("%s, compared with %s, both warm", short(longSpan), short(longSpan/4)), report.Took(warm[0]), report.Took(warm[1]), report.AtMost(1.5))
	return nil
}

// refreshed measures the first answer, refreshes after it (medians), and the share of its samples that one asks for.
func refreshed(span time.Duration, o options) (first, again time.Duration, share float64, err error) {
	s := newStage(64, o.latency)
	defer s.close()
	var firsts, repeats []time.Duration
	var client *metrics.Client
	for range o.rounds {
		if client, err = s.client(cacheLimit); err != nil {
			return first, again, share, err
		}
		defer client.Close()
		s.reset()
		took, err := timed(func() error { return ask(client, s.panel(longExpr, span, longStep)) })
		if err != nil {
			return first, again, share, err
		}
		firsts = append(firsts, took)
		whole := s.steps.Load()
		s.reset()
		s.pass(longStep)
		took, err = timed(func() error { return ask(client, s.panel(longExpr, span, longStep)) })
		if err != nil {
			return first, again, share, err
		}
		repeats = append(repeats, took)
		share = float64(s.steps.Load()) / float64(whole)
	}
	return median(firsts), median(repeats), share, nil
}

// scale measures one panel with more and more series, which are as many frames.
func scale(_ context.Context, o options, r *report.Report) error {
	group := r.Group("One panel of 10 min at 60 s: refreshed a minute later, compared with its first answer; cache of 256 MB")
	for _, series := range []int{64, 512, 4096, 20_000, 80_000} {
		s := newStage(series, o.latency)
		client, err := s.client(256 << 20)
		if err != nil {
			return err
		}
		var times [2]time.Duration
		for i := range times {
			times[i], err = timed(func() error {
				frames, err := asked(client, s.panel(longExpr, 10*time.Minute, time.Minute))
				if err == nil && len(frames) != series {
					err = fmt.Errorf("%d series instead of %d", len(frames), series)
				}
				return err
			})
			if err != nil {
				return err
			}
			s.pass(time.Minute)
		}
		client.Close()
		s.close()
		group.Compare(fmt.Sprintf("%d series", series), report.Took(times[1]), report.Took(times[0]), report.Goal{})
	}
	return nil
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
