package metrics

import (
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Late has samples appear after their time, as those of a real platform do: now and then one alone, now and then the
// samples of five minutes together, when an agent had lost its connection. None is later than by. It returns the store, which
// must not be in use yet.
func (s *Store) Late(by time.Duration) *Store {
	s.late = by.Milliseconds()
	return s
}

// The parts of samples that are late, alone or together with their neighbors, and how many neighbors these are.
const (
	lateAlone    = 0.1
	lateTogether = 0.2
	together     = int64(5 * time.Minute / time.Millisecond)
)

// appeared reports whether the sample at t has been seen by the time that the querier was made.
func (s *series) appeared(t int64) bool {
	if s.late == 0 || t+s.late <= s.now {
		return true
	}
	return t+lateness(s.entity, t, s.late) <= s.now
}

// lateness is how late a sample is, in milliseconds, up to most.
func lateness(entity uint64, t, most int64) int64 {
	chance := scenario.Unit(scenario.Mix(entity, 71, uint64(floorDiv(t, together))))
	if chance < lateTogether {
		return int64(chance / lateTogether * float64(most))
	}
	if chance = scenario.Unit(scenario.Mix(entity, 72, uint64(t))); chance < lateAlone {
		return int64(chance / lateAlone * float64(most))
	}
	return 0
}
