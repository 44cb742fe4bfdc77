package main

import (
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
)

// side is one of two that are compared under the same load, with a platform of its own.
type side struct {
	*testbed
	client *promclient.Client
	mu     sync.Mutex
	times  []time.Duration // of each query
}

// comparison is a client with a cache and one without. They take turns, so that a slow moment of the machine hits both.
type comparison struct {
	cached, uncached *side
	rounds           int
}

func newComparison(latency time.Duration) (*comparison, error) {
	cached, err := newSide(latency, cacheLimit)
	if err != nil {
		return nil, err
	}
	uncached, err := newSide(latency, 0)
	if err != nil {
		cached.close()
		return nil, err
	}
	return &comparison{cached: cached, uncached: uncached}, nil
}

func newSide(latency time.Duration, cacheBytes int) (*side, error) {
	s := newTestbed(64, latency)
	client, err := s.client(cacheBytes)
	if err != nil {
		s.close()
		return nil, err
	}
	return &side{testbed: s, client: client}, nil
}

func (s *comparison) close() {
	s.cached.close()
	s.uncached.close()
}

func (s *side) close() {
	s.client.Close()
	s.testbed.close()
}

// each does the same with both, one after the other. Who goes first alternates.
func (s *comparison) each(do func(*side) error) error {
	s.rounds++
	for _, one := range timing.Turns(s.rounds, s.cached, s.uncached) {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
}

// time notes how long something takes. It is safe for concurrent use.
func (s *side) time(work func() error) error {
	took, err := timing.Of(work)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, took)
	return err
}

// goals of a comparison, and why it has as many requests as it has, if that follows from the scene alone.
type goals struct {
	requests, bytes, median report.Goal
	arithmetic              string
}

// compare adds rows of the times of each side, and of the load on its platform.
func (s *comparison) compare(group report.Group, to goals) {
	ours, without := s.cached, s.uncached
	group.Compare("upstream requests"+to.arithmetic, report.Number(ours.requests()), report.Number(without.requests()), to.requests)
	group.Compare("upstream bytes", report.Size(ours.Counters().BytesSent), report.Size(without.Counters().BytesSent), to.bytes)
	group.Compare("query, p50", report.Took(timing.Median(ours.times)), report.Took(timing.Median(without.times)), to.median)
	group.Compare("query, p95", report.Took(timing.Percentile(ours.times, 95)), report.Took(timing.Percentile(without.times, 95)), report.Goal{})
}
