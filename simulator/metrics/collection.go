package metrics

import (
	"math"
	"time"

	"github.com/prometheus/prometheus/model/value"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Collection is how targets are scraped. A target is what is on one node, or is shared by a pool, and has one collection
// interval. The zero value scrapes all targets on the whole interval, always.
type Collection struct {
	Jitter   time.Duration // a target's samples are up to so long after the whole interval: by an offset of its own, and a tenth by chance
	Missed   float64       // the part of scrapes that give no samples
	Restarts time.Duration // a target restarts once in this time: its series end in a stale marker, its counters begin at 0 again
}

// Collected sets how targets are scraped. It returns the store, which must not be in use yet.
func (s *Store) Collected(c Collection) *Store {
	s.labelSets.collection = c
	return s
}

// noisyPart is the part of the jitter that differs from scrape to scrape.
const noisyPart = 0.1

// scraped returns when the scrape that is due at a time takes place, and false if it is missed.
func (s *series) scraped(due int64) (int64, bool) {
	c := s.labelSets.collection
	if c.Jitter == 0 && c.Missed == 0 {
		return due, true
	}
	shift := (1-noisyPart)*scenario.Unit(scenario.Mix(s.target, 81)) + noisyPart*scenario.Unit(scenario.Mix(s.target, 82, uint64(due)))
	return due + int64(shift*float64(c.Jitter.Milliseconds())), scenario.Unit(scenario.Mix(s.target, 83, uint64(due))) >= c.Missed
}

// setTarget sets what scrapes the series together with others.
func (s *series) setTarget() {
	s.target = scenario.Mix(uint64(s.node), uint64(s.pool), uint64(s.column.interval), 84)
}

// restarted returns when the target last restarted, up to a time, or false if it never did.
func (s *series) restarted(t int64) (int64, bool) {
	period := s.labelSets.collection.Restarts.Milliseconds()
	if period == 0 {
		return 0, false
	}
	first := int64(scenario.Unit(scenario.Mix(s.target, 85)) * float64(period))
	at := floorDiv(t-first, period)*period + first
	return at, at > s.labelSets.scenario.Begin()
}

var stale = math.Float64frombits(value.StaleNaN)
