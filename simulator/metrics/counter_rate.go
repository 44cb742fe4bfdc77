package metrics

import "math"

// swing is how far the load behind a counter runs ahead or behind, in milliseconds: its rate varies by
// ±20 % over some ten minutes, while the counter itself never falls.
const swing, swingPeriod = 20e3, 628e3

// swaying is a point of the rate of counters over time: the sine and cosine of its angle.
type swaying struct{ sin, cos float64 }

func swayingAt(angle float64) swaying {
	sin, cos := math.Sincos(angle)
	return swaying{sin, cos}
}

// phases are where in that rate counters can be, so that they don't all rise together.
var phases = func() (table [1024]swaying) {
	for i := range table {
		table[i] = swayingAt(2 * math.Pi * float64(i) / float64(len(table)))
	}
	return table
}()

// counterRate has the angles of all times at which a query's counters have samples, computed once for all of them.
type counterRate struct {
	first, interval int64 // milliseconds
	times           []swaying
}

func newCounterRate(win window, interval int64) *counterRate {
	first := floorDiv(win.from, interval)
	s := &counterRate{first: first * interval, interval: interval, times: make([]swaying, win.to/interval-first+1)}
	for i := range s.times {
		s.times[i] = swayingAt(2 * math.Pi * float64(s.first+int64(i)*interval) / swingPeriod)
	}
	return s
}

// at returns how far the load of a counter is ahead at the time of a sample, in milliseconds.
func (s *counterRate) at(t int64, phase swaying) int64 {
	return s.times[(t-s.first)/s.interval].ahead(phase)
}

// ahead returns how far the load of a counter with a phase is ahead, in milliseconds.
func (now *swaying) ahead(phase swaying) int64 {
	return int64(swing * (now.sin*phase.cos + now.cos*phase.sin))
}
