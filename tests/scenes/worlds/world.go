package worlds

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// The codes of causes, as the catalog of the plugin has them.
const (
	Faulted     = 10
	Throttled   = 20
	Computing   = 30
	LowActivity = 40
	HeldIdle    = 50
	Free        = 60
	NoData      = 70
	NotMeasured = 80
)

const (
	// tick is the time for which nothing changes.
	tick        = 5 * time.Second
	perMinute   = int(time.Minute / tick)
	gpusPerNode = 8
)

// Options say what a world is like. The zero value has whole GPUs, one cluster and the default counters, scraped once a minute.
type Options struct {
	Seed           uint64
	Nodes, Hours   int
	Model          string
	Limit, Idle    float64 // watts
	Clock          float64 // MHz
	Scrape         time.Duration
	Profiling      bool
	Counters       bool // of throttling
	MIG            bool // on every fourth node
	Pods           bool // labels of pods on GPUs
	Soperator      bool // workers as pods, and jobs by node
	TwoClusters    bool // with the same names of nodes
	Renamed        bool // the label of nodes, halfway
	Restarts       bool // of exporters, with another address
	AtLimit        bool // trainings draw all that their boards may
	Locked         bool // every third node has locked clocks
	Servers, Sweep float64
}

// moment is what a GPU does in a tick.
type moment struct {
	cause, owner, xid               int16
	util, sm, power, clock, celsius float32
	memory, heat, brake             float32
}

// World has the moments of every GPU.
type World struct {
	Options
	gpus  [][]moment // by GPU and tick; GPU 8 n + g is GPU g of node n
	ticks int
	r     *rand.Rand
	jobs  int16
}

// New makes a world.
func New(o Options) *World {
	w := &World{Options: o, ticks: o.Hours * 60 * perMinute, r: rand.New(rand.NewPCG(o.Seed, 31))} //nolint:gosec // a seed makes it the same again
	w.gpus = make([][]moment, o.Nodes*gpusPerNode)
	for i := range w.gpus {
		w.gpus[i] = make([]moment, w.ticks)
	}
	for n := 0; n < o.Nodes; n++ {
		w.idle(n)
		switch x := w.r.Float64(); {
		case x < o.Servers:
			w.serve(n)
		case x < o.Servers+o.Sweep:
			w.sweep(n)
		default:
			w.train(n)
		}
		w.slow(n)
		w.fail(n)
	}
	return w
}

func (w *World) isMIG(node int) bool { return w.MIG && node%4 == 3 }

// between is a random number.
func (w *World) between(low, high float64) float64 { return low + (high-low)*w.r.Float64() }

// minutes is a random time in ticks.
func (w *World) minutes(low, high float64) int { return int(w.between(low, high) * float64(perMinute)) }

// set changes the moments of a GPU in some ticks.
func (w *World) set(gpu, from, length int, change func(m *moment, at int)) {
	for at := max(from, 0); at < min(from+length, w.ticks); at++ {
		change(&w.gpus[gpu][at], at-from)
	}
}

func (w *World) idle(node int) {
	reserved := w.between(3, 700)
	for g := range gpusPerNode {
		gpu := node*gpusPerNode + g
		old := int16(0)
		if w.r.Float64() < 0.1 {
			old = []int16{94, 79, 63, 31, 13}[w.r.IntN(5)]
		}
		power, celsius := w.Idle*w.between(0.95, 1.05), w.between(27, 33)
		w.set(gpu, 0, w.ticks, func(m *moment, _ int) {
			*m = moment{cause: Free, xid: old, power: float32(power), clock: 345, celsius: float32(celsius), memory: float32(reserved)}
		})
	}
}

// hold has a process with memory and without kernels.
func (w *World) hold(gpu, from, length int, owner int16, memory float64) {
	w.set(gpu, from, length, func(m *moment, _ int) {
		m.cause, m.owner, m.util, m.sm = HeldIdle, owner, 0, 0
		m.power, m.clock, m.memory = float32(w.Idle*1.3), float32(w.Clock), float32(memory)
	})
}

// compute has kernels that fill the GPU, or, of low activity, small ones or a collective that spins.
func (w *World) compute(gpu, from, length int, owner int16, memory, power, sm float64, cause int16) {
	w.set(gpu, from, length, func(m *moment, _ int) {
		noise := w.r.NormFloat64()
		m.cause, m.owner, m.memory = cause, owner, float32(memory)
		m.util = float32(97 + 3*w.r.Float64())
		m.sm = float32(math.Min(1, sm*(1+0.05*noise)))
		m.power = float32(math.Min(power*(1+0.03*noise), 1.03*w.Limit))
		m.clock = float32(w.Clock * (1 - 0.005*w.r.Float64()))
		m.celsius = float32(45 + 25*power/w.Limit)
	})
}

// load is the power and activity of a job that computes: of its board, from 45 % to all.
func (w *World) load() (power, sm float64) {
	if w.AtLimit {
		return w.Limit * w.between(0.98, 1.02), w.between(0.6, 0.95)
	}
	share := w.between(0.45, 0.98)
	return w.Limit * share, math.Min(0.94, share*w.between(0.75, 1.05))
}

// low is that of small kernels and of collectives: NCCL has at most 24 multiprocessors.
func (w *World) low() (power, sm float64) {
	return w.Idle*1.3 + w.Limit*w.between(0.02, 0.08), w.between(0.04, 0.2)
}

// length is that of a job in ticks: half of the jobs end within some minutes, the others within a day.
func (w *World) length() int {
	return max(int(math.Exp(math.Log(8)+1.9*w.r.NormFloat64())*float64(perMinute)), perMinute)
}

// train runs synchronous jobs on all GPUs of a node.
func (w *World) train(node int) {
	leak := make([]float64, gpusPerNode) // some boards need more power for a clock
	for g := range leak {
		leak[g] = w.between(0, 0.04)
	}
	locked := w.Locked && node%3 == 0
	for at := w.minutes(0, 30); at < w.ticks; at += w.minutes(0.5, 25) {
		w.jobs++
		owner, length := w.jobs, w.length()
		if w.r.Float64() < 0.5 {
			length = w.minutes(60, 900)
		}
		power, sm := w.load()
		memory := w.between(20000, 70000)
		begin, until := w.minutes(0.3, 2), w.minutes(30, 120)
		for g := range gpusPerNode {
			w.hold(node*gpusPerNode+g, at, begin, owner, 2000)
			w.compute(node*gpusPerNode+g, at+begin, length-begin, owner, memory, power, sm, Computing)
		}
		for stop := at + begin + until; stop < at+length-begin; stop += until {
			pause := min(w.minutes(0.5, 3), at+length-stop)
			stalls := w.r.Float64() < 0.25
			for g := range gpusPerNode {
				if lowPower, lowSM := w.low(); stalls {
					w.compute(node*gpusPerNode+g, stop, min(w.minutes(1, 12), at+length-stop), owner, memory, lowPower, lowSM, LowActivity)
				} else {
					w.hold(node*gpusPerNode+g, stop, pause, owner, memory)
				}
			}
		}
		for g := range gpusPerNode {
			w.set(node*gpusPerNode+g, at, length, func(m *moment, _ int) {
				switch {
				case m.cause != Computing:
				case locked:
					m.clock *= 0.71
				case w.AtLimit:
					m.clock *= float32(1 - leak[g])
					m.brake = 0.8
				}
			})
		}
		w.end(node, at+length)
		at += length
	}
}

// end of a job: sometimes with an error of the application.
func (w *World) end(node, at int) {
	if w.r.Float64() < 0.15 {
		code := []int16{13, 31, 43, 45}[w.r.IntN(4)]
		for g := range gpusPerNode {
			w.set(node*gpusPerNode+g, at, w.ticks, func(m *moment, _ int) { m.xid = code })
		}
	}
}

// sweep runs short jobs of a GPU each.
func (w *World) sweep(node int) {
	for g := range gpusPerNode {
		gpu := node*gpusPerNode + g
		for at := w.minutes(0, 20); at < w.ticks; at += w.minutes(0.5, 20) {
			w.jobs++
			length := w.minutes(3, 25)
			power, sm := w.load()
			cause := int16(Computing)
			if w.r.Float64() < 0.3 {
				power, sm = w.low()
				cause = LowActivity
			}
			w.hold(gpu, at, w.minutes(0.3, 1.5), w.jobs, 3000)
			w.compute(gpu, at+w.minutes(0.3, 1.5), length, w.jobs, 9000, power, sm, cause)
			at += length
		}
	}
}

// serve holds models that get requests for some minutes, and none for others.
func (w *World) serve(node int) {
	for g := range gpusPerNode {
		gpu := node*gpusPerNode + g
		w.jobs++
		owner, memory := w.jobs, w.between(30000, 70000)
		w.hold(gpu, 0, w.ticks, owner, memory)
		for at := w.minutes(0, 60); at < w.ticks; at += w.minutes(3, 60) {
			length := w.minutes(2, 40)
			power, sm := w.load()
			cause := int16(Computing)
			if w.r.Float64() < 0.5 {
				power, sm = w.low()
				cause = LowActivity
			}
			w.compute(gpu, at, length, owner, memory, power, sm, cause)
			at += length
		}
	}
}

// slow lets heat slow GPUs down, or a failed supply the node, while they compute.
func (w *World) slow(node int) {
	slowed := func(gpu, from, length int, loss, heat, brake float64) {
		w.set(gpu, from, length, func(m *moment, _ int) {
			if m.cause != Computing {
				return
			}
			m.cause = Throttled
			m.clock *= float32((1 - loss) * (1 - 0.01*w.r.Float64()))
			m.power *= float32(1 - 0.8*loss)
			m.heat, m.brake = float32(heat), float32(brake)
			if heat > 0 {
				m.celsius = float32(w.between(83, 89))
			}
		})
	}
	if w.r.Float64() < 0.4 {
		for range 1 + w.r.IntN(2) {
			slowed(node*gpusPerNode+w.r.IntN(gpusPerNode), w.r.IntN(w.ticks), w.minutes(30, 240), w.between(0.1, 0.35), w.between(0.3, 1), 0)
		}
	}
	if w.Counters && w.r.Float64() < 0.08 {
		from, length, loss := w.r.IntN(w.ticks), w.minutes(30, 120), w.between(0.3, 0.6)
		for g := range gpusPerNode {
			slowed(node*gpusPerNode+g, from, length, loss, 0, 1)
		}
	}
}

// fail takes GPUs out: by an error, off the bus, or with their node.
func (w *World) fail(node int) {
	gone := func(gpu, from, length int, cause int16) {
		w.set(gpu, from, length, func(m *moment, _ int) { m.cause, m.owner, m.power = cause, 0, -1 })
	}
	if w.r.Float64() < 0.5 {
		gpu, from, length := node*gpusPerNode+w.r.IntN(gpusPerNode), w.r.IntN(w.ticks), w.minutes(25, 200)
		hangs, follows, code := 0, w.r.Float64() < 0.4, []int16{94, 95, 48, 119}[w.r.IntN(4)]
		if w.r.Float64() < 0.3 {
			hangs = w.minutes(2, 10)
		}
		power, reserved := w.Idle, 3.0
		w.set(gpu, from, length, func(m *moment, at int) {
			m.cause, m.xid, m.heat, m.brake = Faulted, code, 0, 0
			if follows && at > 2*perMinute {
				m.xid = 45
			}
			if at < hangs {
				m.util, m.sm, m.power = 100, 0.1, float32(1.6*w.Idle)
				return
			}
			m.owner, m.util, m.sm, m.power, m.clock, m.memory = 0, 0, 0, float32(power), 345, float32(reserved)
		})
		w.set(gpu, from+length, w.ticks, func(m *moment, _ int) { m.xid = 0 })
	}
	if w.r.Float64() < 0.2 {
		from, length := w.r.IntN(w.ticks), w.minutes(30, 300)
		gone(node*gpusPerNode+w.r.IntN(gpusPerNode), from, length, Faulted)
		for g := range gpusPerNode {
			gone(node*gpusPerNode+g, from+length, w.minutes(5, 6), NoData)
			w.set(node*gpusPerNode+g, from+length, w.ticks, func(m *moment, _ int) { m.xid = 0 })
		}
	}
	if w.r.Float64() < 0.1 {
		from, length := w.r.IntN(w.ticks), w.minutes(20, 120)
		for g := range gpusPerNode {
			gone(node*gpusPerNode+g, from, length, NoData)
		}
	}
}

// Truth is the cause of most ticks of a minute.
func (w *World) Truth(gpu, minute int) int {
	counts := map[int16]int{}
	best := w.gpus[gpu][minute*perMinute].cause
	for _, m := range w.gpus[gpu][minute*perMinute : (minute+1)*perMinute] {
		counts[m.cause]++
		if counts[m.cause] > counts[best] {
			best = m.cause
		}
	}
	isIdle := best == HeldIdle || best == Free || best == LowActivity
	if isIdle && w.isMIG(gpu/gpusPerNode) && !w.Profiling { // power alone says that one computes
		return NotMeasured
	}
	return int(best)
}

func (w *World) names(gpu int) (cluster, node, index string) {
	n := gpu / gpusPerNode
	cluster = "a"
	if w.TwoClusters && n >= w.Nodes/2 {
		cluster, n = "b", n-w.Nodes/2
	}
	return cluster, "node-" + strconv.Itoa(n), strconv.Itoa(gpu % gpusPerNode)
}
