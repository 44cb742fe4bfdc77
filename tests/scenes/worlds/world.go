package worlds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Start is the time 0 of every world.
var Start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// A Cause is what a GPU's time went to, by the code of GPU time.
type Cause uint8

// The causes of GPU time.
const (
	Faulted     Cause = 10
	Throttled   Cause = 20
	Computing   Cause = 30
	Low         Cause = 40
	Held        Cause = 50
	Free        Cause = 60
	NoData      Cause = 70
	NotMeasured Cause = 80
)

// A Board is a model of GPU.
type Board struct {
	Name                 string
	Limit, Idle, Context float64 // W: at most, without a process, with a process that does nothing
	Clock, IdleClock     float64 // MHz
	Memory, Reserved     float64 // MiB
}

// Boards are of data sheets and of nvidia-smi's output in public issues.
var Boards = map[string]Board{
	"A100": {"NVIDIA A100-SXM4-80GB", 400, 62, 84, 1410, 210, 81920, 629},
	"H100": {"NVIDIA H100 80GB HBM3", 700, 71, 116, 1980, 345, 81559, 4},
	"H200": {"NVIDIA H200", 700, 77, 122, 1980, 345, 143771, 4},
	"L40S": {"NVIDIA L40S", 350, 34, 82, 2520, 210, 46068, 455},
	"V100": {"Tesla V100-SXM2-32GB", 300, 42, 58, 1530, 135, 32768, 1100},
}

// A World is a cluster and how it is measured.
type World struct {
	Name       string
	Seed       uint64
	Board      string
	Nodes      int // of eight GPUs
	Hours      int
	Interval   int     // between scrapes, in seconds
	Host       string  // the label with the node's name
	Owner      string  // how owners are known: "", pod, exported, hpc_job, slurm
	Clusters   int     // with the same host names
	Profiling  bool    // profiling metrics
	Violations bool    // violation counters
	Energy     bool    // energy counter
	Rollout    bool    // all exporters restart
	Bound      bool    // boards are at their power limit in training
	Locked     bool    // clocks are locked on a third of the nodes
	Brake      bool    // a node loses a power supply
	MIG        bool    // every fourth GPU is divided
	Healthy    bool    // nothing faults or throttles
	Slow       float64 // share of nodes with a straggler
	Stale      bool    // stale markers at missed scrapes
	Mix        map[string]float64
}

type gpu struct {
	outages []outage
	slow    []slow
	waits   []slow // of the slowest of its job
	xids    []xid
	jobs    []*job
	lottery float64 // clock at the power limit
}

type node struct {
	dark   [][2]int // no scrape succeeds
	locked float64
}

// Truth is a world that has happened.
type Truth struct {
	World
	board Board
	gpus  []gpu
	nodes []node
	jobs  []*job
	end   int
}

// random numbers are the same for a seed and what they are for.
func random(seed, of uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, of)) //nolint:gosec // a seed makes it the same again
}

func between(r *rand.Rand, a, b float64) float64 { return a + r.Float64()*(b-a) }
func logBetween(r *rand.Rand, a, b float64) int {
	return int(math.Exp(between(r, math.Log(a), math.Log(b))))
}

// Happen makes what happens in a world.
func Happen(w World) *Truth {
	r := random(w.Seed, 77)
	t := &Truth{World: w, board: Boards[w.Board], gpus: make([]gpu, w.Nodes*8), nodes: make([]node, w.Nodes), end: w.Hours * 3600}
	for g := range t.gpus {
		t.gpus[g].lottery = min(0.98, 0.92+0.02*r.NormFloat64())
		if r.Float64() < 0.15 { // a code of last week
			t.gpus[g].xids = []xid{{-1, []int{31, 43, 45, 13, 94, 63, 79}[r.IntN(7)]}}
		}
	}
	for n := range t.nodes {
		t.nodes[n].locked = 1
		if w.Locked && n%3 == 1 {
			t.nodes[n].locked = 0.7
		}
	}
	if !w.Healthy {
		t.fail(r)
	}
	t.dark(r)
	t.schedule(r)
	t.slow(r)
	return t
}

func (t *Truth) host(n int) (cluster, host string) {
	per := t.Nodes / max(1, t.Clusters)
	return fmt.Sprintf("cluster-%d", n/per), fmt.Sprintf("node-%02d", n%per)
}
