package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

const (
	// soakPause is between the wall display's refreshes, shorter than anyone's so that a leak shows sooner.
	soakPause = time.Second
	// soakSample is how often memory is read.
	soakSample = 5 * time.Second
)

// soak puts the wall display's load on the built backend, by the real clock, and compares its memory in the last third of
// the time with that in the second; in the first, caches and pools fill.
func soak(ctx context.Context, o options, r *report.Report) error {
	b, err := startBackend(ctx, o.backend)
	if err != nil {
		return err
	}
	defer b.stop()
	s := newStage(64, o.latency)
	defer s.close()
	s.now.Store(time.Now().UnixMilli())
	to := pluginContext(s.server.URL, cached)

	length := time.Duration(o.minutes) * time.Minute
	start := time.Now()
	queries := 0
	var thirds [3][]uint64
	lastSample := start
	for time.Since(start) < length {
		round := time.Now()
		s.now.Store(round.UnixMilli())
		var viewers errgroup.Group
		viewers.SetLimit(wallViewers * wallConnections)
		for range wallViewers {
			for _, expr := range wallPanels {
				queries++
				viewers.Go(func() error { return b.ask(ctx, to, s.panel(expr, wallSpan, wallStep)) })
			}
		}
		if err := viewers.Wait(); err != nil {
			return err
		}
		if time.Since(lastSample) >= soakSample {
			lastSample = time.Now()
			resident, err := b.memory(residentMemory)
			if err != nil {
				return err
			}
			third := min(int(3*time.Since(start)/length), 2)
			thirds[third] = append(thirds[third], uint64(resident))
		}
		time.Sleep(time.Until(round.Add(soakPause)))
	}
	group := r.Group("Wall display of %d viewers × %d panels, refreshed every %s for %s", wallViewers, len(wallPanels), short(soakPause), short(length))
	group.Figure("queries", report.Number(queries), report.Goal{})
	group.Figure("upstream requests", report.Number(s.requests()), report.Goal{})
	group.Figure("resident memory in the first third, median", report.Size(median(thirds[0])), report.Goal{})
	group.Compare("in the last third, compared with the second", report.Size(median(thirds[2])), report.Size(median(thirds[1])), report.AtMost(1.05))
	return nil
}
