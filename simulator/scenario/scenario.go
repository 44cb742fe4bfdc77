package scenario

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// Config sets the size of the fleet, and what goes wrong.
type Config struct {
	Nodes, GPUsPerNode int
	Now                time.Time  // the scenario covers at least 36 days before it
	Incidents          []Incident // begin IncidentAge before Now
	// Relative schedules jobs relative to Now instead of to the weeks of the calendar, so that a test sees the same at all times
	// of a day and a week.
	Relative bool
}

// Scenario is safe for concurrent use.
type Scenario struct {
	fleet *Fleet
	begin int64
	shift int64 // by how much later everything is than in the calendar
	plan  atomic.Pointer[plan]
	write sync.Mutex

	incidents     []Incident
	incidentStart int64 // when they began
}

// plan is the part of the scenario that has been written: up to, not including, end.
type plan struct {
	end       int64
	timelines [NodePools]timeline
	jobs      [Serving][]Job // oldest first
}

// quarter is the number of weeks after which counters begin again from zero for a new process.
// It keeps the scenario short to write and its counters the same from one start to the next.
const quarter = 13

// Past is how far before Config.Now the scenario reaches at least.
const Past = 36 * 24 * time.Hour

// relativeNow is the time in the calendar at which a scenario with [Config.Relative] starts: a working day, with jobs on all pools.
var relativeNow = time.Date(2026, time.October, 13, 14, 0, 0, 0, time.UTC)

// scenarios are weak pointers to those in use, of which tests make the same again and again.
var scenarios sync.Map

// New makes a scenario, whose weeks are written when they are read: few tests read one.
func New(c Config) *Scenario {
	var shift int64
	if c.Relative {
		shift = c.Now.Truncate(time.Minute).Sub(relativeNow).Milliseconds()
	}
	number := weekOf(c.Now.Add(-Past).UnixMilli() - shift)
	number -= number % quarter
	var incidentStart int64
	if len(c.Incidents) > 0 {
		incidentStart = c.Now.Add(-IncidentAge).UnixMilli()
	}
	key := fmt.Sprint(c.Nodes, c.GPUsPerNode, number, shift, c.Incidents, incidentStart)
	if same, ok := scenarios.Load(key); ok {
		if s := same.(weak.Pointer[Scenario]).Value(); s != nil {
			return s
		}
	}
	s := &Scenario{
		fleet: newFleet(c.Nodes, c.GPUsPerNode), begin: weekStart + number*week + shift, shift: shift,
		incidents: c.Incidents, incidentStart: incidentStart,
	}
	empty := &plan{end: s.begin}
	for pool := range empty.timelines {
		empty.timelines[pool] = timeline{{start: s.begin, load: idle}}
	}
	s.plan.Store(empty)
	same := weak.Make(s)
	scenarios.Store(key, same)
	runtime.AddCleanup(s, func(key string) { scenarios.CompareAndDelete(key, same) }, key)
	return s
}

// until returns a plan that covers t.
func (s *Scenario) until(t int64) *plan {
	if p := s.plan.Load(); t < p.end {
		return p
	}
	s.write.Lock()
	defer s.write.Unlock()
	lost, congested := s.beginning(LostTraffic), s.beginning(Congestion)
	next := *s.plan.Load()
	for t >= next.end {
		number := weekOf(next.end - s.shift)
		for pool := Pretraining; pool < Serving; pool++ {
			jobs := jobsOf(s.fleet, pool, number, s.shift)
			for i := range jobs {
				s.disturb(&jobs[i])
			}
			next.jobs[pool] = append(next.jobs[pool], jobs...)
			next.timelines[pool] = next.timelines[pool].addJobs(jobs, pool, congested)
		}
		next.timelines[Serving] = next.timelines[Serving].addServing(number, s.shift, lost)
		next.end += week
	}
	s.plan.Store(&next)
	return &next
}

// Fleet returns the hardware the scenario plays on.
func (s *Scenario) Fleet() *Fleet { return s.fleet }

// Begin returns when the scenario's counters are zero.
func (s *Scenario) Begin() int64 { return s.begin }

// Reader returns a reader of the pool's load that is good up to t.
func (s *Scenario) Reader(pool NodePool, t int64) *Reader {
	return &Reader{tl: s.until(t).timelines[pool]}
}

// Jobs returns the jobs of all pools that have nodes and that are alive somewhere in [from, to],
// by pool, oldest first. The caller must not change them.
func (s *Scenario) Jobs(from, to int64) []Job {
	p := s.until(to)
	var jobs []Job
	for pool := Pretraining; pool < Serving; pool++ {
		if first, end := s.fleet.Range(pool); first < end {
			jobs = append(jobs, overlapping(p.jobs[pool], from, to)...)
		}
	}
	return jobs
}

// Job returns the job with an id that was created before t.
func (s *Scenario) Job(id string, t int64) (Job, bool) {
	for _, jobs := range s.until(t).jobs {
		if i := slices.IndexFunc(jobs, func(j Job) bool { return j.ID == id && j.Created <= t }); i >= 0 {
			return jobs[i], true
		}
	}
	return Job{}, false
}

// HotPace is the share of their pace at which GPUs train beside one that heat slows down. GPUs that train together wait for the slowest
// of them in each step, in kernels that run but compute nothing.
const HotPace = 0.74

// Straggler returns the GPU of the largest pool that is always hot, and slower than its peers in every job.
func (s *Scenario) Straggler() GPU {
	_, end := s.fleet.Range(Pretraining)
	return GPU{Node: min(2, end-1), Index: min(5, s.fleet.GPUsPerNode-1)}
}

// NodeFailure is a GPU failure: it ends the job on its pool and takes the node out until it is repaired.
type NodeFailure struct {
	GPU      GPU
	XID      int // NVIDIA's error number
	At       int64
	Repaired int64
}

// repair is how long a failed GPU goes on reporting its error.
const repair = 6 * time.Hour

// NodeFailures returns the GPU failures that began in [from, to], oldest first: one in four weeks, and that of
// GPUFailure.
// XID numbers: https://docs.nvidia.com/deploy/xid-errors/
func (s *Scenario) NodeFailures(from, to int64) []NodeFailure {
	var found []NodeFailure
	p := s.until(to)
	for _, j := range overlapping(p.jobs[Pretraining], from-1, to) {
		if j.Failure == gpuFailure && j.Finished >= from && j.Finished <= to {
			found = append(found, NodeFailure{
				GPU: s.failing(j.seed), XID: 48, At: j.Finished, Repaired: j.Finished + repair.Milliseconds(),
			})
		}
	}
	if failure, ok := s.failure(); ok && failure.At >= from && failure.At <= to {
		found = append(found, failure)
	}
	return found
}

// failing picks the GPU that an incident hits; it is never the straggler on a fleet with a choice.
func (s *Scenario) failing(seed uint64) GPU {
	_, end := s.fleet.Range(Pretraining)
	g := GPU{Node: int(Mix(seed, 5) % uint64(end)), Index: int(Mix(seed, 6) % uint64(s.fleet.GPUsPerNode))}
	if g == s.Straggler() {
		g.Index = (g.Index + 1) % s.fleet.GPUsPerNode
	}
	return g
}
