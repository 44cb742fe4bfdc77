package worlds

import (
	"math/rand/v2"
	"slices"
)

type outage struct {
	from, to int
	code     int  // XID; 0 is none that could be read
	gone     bool // from the bus
	reset    bool // code is removed at the end
}

type slow struct {
	from, to   int
	factor     float64
	on, period int    // a duty cycle, seconds
	reason     string // heat or brake, as counters say it; "" if none does
}

type xid struct{ at, code int }

// slow makes stragglers of GPUs whose job has all of their node, and goes on until the end.
func (t *Truth) slow(r *rand.Rand) {
	for n := range t.nodes {
		g := n*8 + r.IntN(8)
		from := between(r, 0.25, 0.7) * float64(t.end)
		j := t.jobAt(g, t.end-1)
		if r.Float64() > t.Slow || j == nil || j.kind != pretrain || j.start > int(from)-1500 {
			continue
		}
		s := slow{from: int(from), to: t.end, factor: between(r, 0.65, 0.92), on: 1, period: 1, reason: []string{"heat", "heat", ""}[r.IntN(3)]}
		if s.reason != "" && r.IntN(3) == 0 {
			s.factor, s.on, s.period = between(r, 0.6, 0.75), 240, 720
		}
		t.gpus[g].slow = append(t.gpus[g].slow, s)
		for _, peer := range j.gpus {
			if peer != g {
				t.gpus[peer].waits = append(t.gpus[peer].waits, s)
			}
		}
	}
}

// Straggler is a GPU that is slower than its peers.
type Straggler struct {
	Node, GPU, From int
	Factor          float64
	Kind            string
}

// Stragglers are those of a world.
func (t *Truth) Stragglers() (all []Straggler) {
	for g := range t.gpus {
		for _, s := range t.gpus[g].slow {
			kind := s.reason
			if s.on > 1 {
				kind += " at times"
			}
			all = append(all, Straggler{g / 8, g % 8, s.from, s.factor, kind})
		}
	}
	return all
}

func (t *Truth) fail(r *rand.Rand) {
	// One hardware fault in 16 GPUs a day is more than clusters have (a few in a thousand), so that recall has a number.
	for range max(3, len(t.gpus)*t.Hours/24/8) {
		from := r.IntN(t.end)
		o := outage{from: from, to: from + logBetween(r, 1200, 6*3600), code: []int{94, 48, 79, 95, 64, 74, 119}[r.IntN(7)], reset: r.IntN(2) == 0}
		g := r.IntN(len(t.gpus))
		if o.code == 79 || r.IntN(4) == 0 {
			o.gone, o.reset = true, true
		}
		if len(t.gpus[g].outages) > 0 {
			continue
		}
		t.gpus[g].outages = []outage{o}
		if o.gone { // the node restarts to have it back
			t.nodes[g/8].dark = append(t.nodes[g/8].dark, [2]int{o.to, o.to + 240 + r.IntN(300)})
		}
	}
	for range max(4, len(t.gpus)*t.Hours/24/4) {
		from := r.IntN(t.end)
		s := slow{from: from, to: from + logBetween(r, 2400, 5*3600), factor: between(r, 0.55, 0.9), on: 1, period: 1, reason: "heat"}
		if r.IntN(3) == 0 {
			s.on, s.period = 240, 720
		}
		g := r.IntN(len(t.gpus))
		t.gpus[g].slow = append(t.gpus[g].slow, s)
	}
	if t.Brake {
		n, from := r.IntN(t.Nodes), r.IntN(t.end/2)
		s := slow{from: from, to: from + logBetween(r, 3600, 4*3600), factor: between(r, 0.4, 0.6), on: 1, period: 1, reason: "brake"}
		for g := n * 8; g < n*8+8; g++ {
			t.gpus[g].slow = append(t.gpus[g].slow, s)
		}
	}
}

func (t *Truth) dark(r *rand.Rand) {
	for n := range t.nodes {
		if r.Float64() < 0.25 {
			from := r.IntN(t.end)
			t.nodes[n].dark = append(t.nodes[n].dark, [2]int{from, from + logBetween(r, 300, 4000)})
		}
	}
}

func (t *Truth) out(g, at int) bool {
	return slices.ContainsFunc(t.gpus[g].outages, func(o outage) bool { return at >= o.from-60 && at < o.to+600 })
}

func (t *Truth) outagesOfNode(n int) (all []outage) {
	for g := n * 8; g < n*8+8; g++ {
		all = append(all, t.gpus[g].outages...)
	}
	return all
}
