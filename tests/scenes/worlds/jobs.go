package worlds

import (
	"math/rand/v2"
)

type kind string

const (
	debug    kind = "debug"    // fails or ends within minutes, as half of the jobs in AcmeTrace
	pretrain kind = "pretrain" // whole nodes, synchronous
	tuning   kind = "tuning"   // GPUs of a node, with small waits
	small    kind = "small"    // bound by memory: low SM activity and power, but working
	serve    kind = "serve"    // a model server
	notebook kind = "notebook" // memory held, short bursts
	starved  kind = "starved"  // waits for data most of the time
	hoard    kind = "hoard"    // allocated, without a process
)

var kinds = []kind{debug, pretrain, tuning, small, serve, notebook, starved, hoard}

var mix = map[kind]float64{debug: 0.45, pretrain: 0.12, tuning: 0.16, small: 0.06, serve: 0.07, notebook: 0.07, starved: 0.05, hoard: 0.02}

type job struct {
	id         int
	kind       kind
	gpus       []int // that it uses
	held       []int // that it has, but does not use
	start, end int   // seconds
	seed       uint64
	phases     []phase
	mem        float64
}

// A phase is a part of a job in which its GPUs do the same.
type phase struct {
	from, to int
	cause    Cause
	none     bool    // no process yet
	duty     float64 // part of the seconds in which kernels run
	step     float64 // seconds of a step
	util     float64
	sm, tc   float64
	dram     float64
	power    float64 // part of the limit, while kernels run
}

func (t *Truth) schedule(r *rand.Rand) {
	const warm = 10 * 3600
	freeAt := make([]int, len(t.gpus))
	for g := range freeAt {
		freeAt[g] = -warm
	}
	total := 0.0
	for _, k := range kinds {
		total += t.share(k)
	}
	gap := 3600.0 / (float64(len(t.gpus)) * 0.35)
	for at := float64(-warm); at < float64(t.end); at += r.ExpFloat64() * gap {
		k, x := kinds[0], r.Float64()*total
		for _, k = range kinds {
			if x -= t.share(k); x < 0 {
				break
			}
		}
		t.place(r, k, int(at), freeAt)
	}
}

func (t *Truth) share(k kind) float64 {
	if v, ok := t.Mix[string(k)]; ok {
		return v
	}
	if k == hoard && t.Owner == "" {
		return 0 // nobody could know
	}
	return mix[k]
}

func (t *Truth) place(r *rand.Rand, k kind, at int, freeAt []int) {
	size, length := 1<<r.IntN(4), 0
	switch k {
	case debug:
		length = logBetween(r, 60, 420)
	case pretrain:
		size, length = 8*(1+r.IntN(max(1, t.Nodes/2))), logBetween(r, 3600, 40*3600)
	case tuning, small:
		length = logBetween(r, 600, 6*3600)
	case serve:
		length = logBetween(r, 4*3600, 30*3600)
	case notebook:
		size, length = 1, logBetween(r, 3600, 14*3600)
	case starved:
		length = logBetween(r, 1200, 4*3600)
	case hoard:
		length = logBetween(r, 1800, 8*3600)
	}
	whole := t.Owner == "slurm"
	take := size
	if whole {
		take = (size + 7) / 8 * 8
	}
	var got []int
	for _, n := range r.Perm(t.Nodes) {
		var free []int
		for g := n * 8; g < n*8+8; g++ {
			if freeAt[g] <= at && !t.out(g, at) {
				free = append(free, g)
			}
		}
		if want := min(8, take-len(got)); len(free) >= want {
			got = append(got, free[:want]...)
		}
		if len(got) == take {
			break
		}
	}
	if len(got) < take {
		return
	}
	j := &job{id: 1000 + len(t.jobs), kind: k, gpus: got[:size], held: got[size:], start: at, end: at + length, seed: r.Uint64(), mem: between(r, 0.06, 0.95)}
	for _, g := range got {
		for _, o := range t.gpus[g].outages {
			if o.from > at && o.from < j.end {
				j.end = o.from
			}
			if o.gone && o.to > at && o.to < j.end { // its node restarts
				j.end = o.to
			}
		}
		for _, o := range t.outagesOfNode(g / 8) {
			if o.gone && o.to > at && o.to < j.end {
				j.end = o.to
			}
		}
	}
	for _, g := range got {
		freeAt[g] = j.end + 20 + int(r.ExpFloat64()*400)
		t.gpus[g].jobs = append(t.gpus[g].jobs, j)
	}
	t.jobs = append(t.jobs, j)
	j.happen(random(j.seed, 1), t.Bound)
	if j.end < 0 {
		return
	}
	if k != hoard && r.Float64() < 0.25 {
		g := j.gpus[r.IntN(len(j.gpus))]
		t.gpus[g].xids = append(t.gpus[g].xids, xid{j.end - 1, []int{31, 43, 13, 45}[r.IntN(4)]})
	} else if (k == pretrain || k == tuning || k == small) && r.Float64() < 0.06 && j.end-j.start > 3600 { // a row is remapped, and the GPU works on
		g := j.gpus[r.IntN(len(j.gpus))]
		t.gpus[g].xids = append(t.gpus[g].xids, xid{j.start + (j.end-j.start)/2, []int{63, 92}[r.IntN(2)]})
	}
}

// happen makes the phases of a job, which all of its GPUs have.
func (j *job) happen(r *rand.Rand, bound bool) {
	at := j.start
	add := func(seconds int, p phase) {
		p.from, p.to = at, min(j.end, at+seconds)
		if p.util == 0 {
			p.util = 99
		}
		at += seconds
		if p.from < p.to {
			j.phases = append(j.phases, p)
		}
	}
	load := func(most float64) {
		add(10+r.IntN(30), phase{none: true, cause: Held})
		add(logBetween(r, 20, most), phase{cause: Held})
	}
	work := phase{cause: Computing, duty: 1, step: 1, sm: between(r, 0.5, 0.95), tc: between(r, 0.2, 0.5), dram: between(r, 0.2, 0.5), power: between(r, 0.7, 0.95)}
	if bound {
		work.power = between(r, 0.97, 1.02)
	}
	switch j.kind {
	case debug:
		load(90)
		work.power *= 0.8
		add(1<<30, work)
	case pretrain:
		load(600)
		pause, every := 20+r.IntN(90), logBetween(r, 900, 5400)
		work.step, work.duty = between(r, 2, 20), between(r, 0.93, 1)
		for at < j.end {
			switch r.IntN(12) {
			case 0: // a peer hangs: the collective spins until the watchdog ends it
				add(logBetween(r, 300, 1800), phase{cause: Low, duty: 1, step: 1, util: 100, sm: between(r, 0.05, 0.2), tc: 0, dram: 0.02, power: -between(r, 0.06, 0.14)})
			case 1, 2: // evaluation
				eval := work
				eval.duty, eval.step, eval.power = between(r, 0.7, 0.95), 4, work.power*0.75
				add(logBetween(r, 60, 400), eval)
			}
			add(every, work)
			add(pause, phase{cause: Held})
		}
	case tuning:
		load(200)
		work.step, work.duty, work.power, work.sm = between(r, 0.5, 6), between(r, 0.65, 1), between(r, 0.5, 0.95), between(r, 0.3, 0.8)
		for at < j.end {
			add(logBetween(r, 400, 3600), work)
			add(10+r.IntN(60), phase{cause: Held})
		}
	case small:
		load(120)
		work.sm, work.tc, work.dram, work.power = between(r, 0.13, 0.35), between(r, 0, 0.08), between(r, 0.3, 0.7), between(r, 0.42, 0.6)
		work.step, work.duty, work.util = between(r, 0.5, 3), between(r, 0.8, 1), between(r, 85, 100)
		add(1<<30, work)
	case serve:
		load(400)
		for at < j.end { // the load changes through the day
			p := phase{duty: 1, step: between(r, 2, 15), sm: between(r, 0.25, 0.6), tc: between(r, 0.05, 0.25), dram: between(r, 0.3, 0.7), power: between(r, 0.45, 0.75)}
			switch x := r.Float64(); {
			case x < 0.45:
				p.duty, p.cause = between(r, 0.75, 1), Computing
			case x < 0.7:
				p.duty, p.cause, p.step = between(r, 0.06, 0.2), Low, between(r, 5, 25)
			default:
				p.duty, p.cause = 0, Held
			}
			add(logBetween(r, 600, 5400), p)
		}
	case notebook:
		add(20, phase{none: true, cause: Held})
		j.mem = between(r, 0.02, 0.8)
		for at < j.end {
			add(logBetween(r, 900, 9000), phase{cause: Held})
			work.power = between(r, 0.4, 0.9)
			add(logBetween(r, 40, 600), work)
		}
	case starved:
		load(300)
		p := phase{cause: Low, duty: between(r, 0.06, 0.2), step: between(r, 1, 8), sm: between(r, 0.3, 0.8), tc: between(r, 0.1, 0.3), dram: between(r, 0.1, 0.4), power: between(r, 0.5, 0.8)}
		add(1<<30, p)
	case hoard:
		add(1<<30, phase{none: true, cause: Held})
	}
	j.wait()
}

// wait has low activity where no kernel runs for up to five minutes before the job goes on, or begins to work.
func (j *job) wait() {
	for first := 0; first < len(j.phases); first++ {
		last := first
		for last < len(j.phases) && j.phases[last].cause == Held {
			last++
		}
		if last < len(j.phases) && j.phases[last].from-j.phases[first].from <= 300 {
			for i := range j.phases[first:last] {
				j.phases[first+i].cause = Low
			}
		}
		first = last
	}
}
