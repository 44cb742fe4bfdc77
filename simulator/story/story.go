package story

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Config sets the size of the fleet and the seed of chance. The zero Seed is a seed like any other.
type Config struct {
	Nodes, GPUsPerNode int
	Seed               uint64
	Now                time.Time // the story covers at least 36 days before it
	Troubles           []Trouble // begin TroubleAge before Now
}

// Story is safe for concurrent use.
type Story struct {
	seed  uint64
	fleet *Fleet
	begin int64
	plan  atomic.Pointer[plan]
	write sync.Mutex

	troubles []Trouble
	troubled int64 // when they began
}

// plan is the part of the story that has been written: up to, not including, end.
type plan struct {
	end       int64
	timelines [Lanes]timeline
	jobs      [Serving][]Job // as scheduled, oldest first
	guests    []Job          // added or changed while the story runs, in no order
}

// quarter is the number of weeks after which counters begin again from zero for a new process.
// It keeps the story short to write and its counters the same from one start to the next.
const quarter = 13

// Past is how far before Config.Now the story reaches at least.
const Past = 36 * 24 * time.Hour

// New writes the story up to two weeks from now; later weeks are written when they are asked for.
func New(c Config) *Story {
	number := weekOf(c.Now.Add(-Past).UnixMilli())
	number -= number % quarter
	s := &Story{
		seed: c.Seed, fleet: newFleet(c.Nodes, c.GPUsPerNode), begin: weekStart + number*week,
		troubles: c.Troubles, troubled: c.Now.Add(-TroubleAge).UnixMilli(),
	}
	empty := &plan{end: s.begin}
	for lane := range empty.timelines {
		empty.timelines[lane] = timeline{{start: s.begin, load: idle}}
	}
	s.plan.Store(empty)
	s.until(c.Now.UnixMilli() + 2*week)
	s.suffer()
	return s
}

// until returns a plan that covers t.
func (s *Story) until(t int64) *plan {
	if p := s.plan.Load(); t < p.end {
		return p
	}
	s.write.Lock()
	defer s.write.Unlock()
	next := *s.plan.Load()
	for t >= next.end {
		number := weekOf(next.end)
		for lane := Pretraining; lane < Serving; lane++ {
			jobs := jobsOf(s.seed, s.fleet, lane, number)
			next.jobs[lane] = append(next.jobs[lane], jobs...)
			next.timelines[lane] = next.timelines[lane].addJobs(jobs)
		}
		next.timelines[Serving] = next.timelines[Serving].addServing(s.seed, number)
		next.end += week
	}
	s.plan.Store(&next)
	return &next
}

// Fleet returns the hardware the story plays on.
func (s *Story) Fleet() *Fleet { return s.fleet }

// Begin returns when the story's counters are zero.
func (s *Story) Begin() int64 { return s.begin }

// Reader returns a reader of the lane's load that is good up to t.
func (s *Story) Reader(lane Lane, t int64) *Reader {
	return &Reader{tl: s.until(t).timelines[lane]}
}

// Jobs returns the jobs of all lanes that have nodes and that are alive somewhere in [from, to],
// by lane, oldest first; then those added or changed while the story runs. The caller must not change them.
func (s *Story) Jobs(from, to int64) []Job {
	p := s.until(to)
	var jobs []Job
	for lane := Pretraining; lane < Serving; lane++ {
		if first, end := s.fleet.Range(lane); first < end {
			jobs = append(jobs, overlapping(p.jobs[lane], from, to)...)
		}
	}
	for _, j := range p.guests {
		if j.Finished > from && j.Created <= to {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// Job returns the job with an id that was created before t.
func (s *Story) Job(id string, t int64) (Job, bool) { return s.until(t).find(id, t) }

// Straggler returns the GPU that is slower than its peers in every job.
func (s *Story) Straggler() GPU {
	_, end := s.fleet.Range(Pretraining)
	return GPU{Node: min(2, end-1), Index: min(5, s.fleet.GPUsPerNode-1)}
}

// Incident is a GPU failure: it ends the job on its lane and takes the node out until it is repaired.
type Incident struct {
	GPU      GPU
	XID      int // NVIDIA's error number
	At       int64
	Repaired int64
}

// repair is how long a failed GPU goes on reporting its error.
const repair = 6 * time.Hour

// Incidents returns the GPU failures that began in [from, to], oldest first: one in four weeks, and that of
// GPUFailure.
// XID numbers: https://docs.nvidia.com/deploy/xid-errors/
func (s *Story) Incidents(from, to int64) []Incident {
	var found []Incident
	p := s.until(to)
	for _, j := range slices.Concat(overlapping(p.jobs[Pretraining], from-1, to), p.guests) {
		if j.Failure == gpuFailure && j.Finished >= from && j.Finished <= to {
			found = append(found, Incident{
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
func (s *Story) failing(seed uint64) GPU {
	_, end := s.fleet.Range(Pretraining)
	g := GPU{Node: int(Mix(seed, 5) % uint64(end)), Index: int(Mix(seed, 6) % uint64(s.fleet.GPUsPerNode))}
	if g == s.Straggler() {
		g.Index = (g.Index + 1) % s.fleet.GPUsPerNode
	}
	return g
}
