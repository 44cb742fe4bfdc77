//go:build engines

package engines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// The samples of GPUs whose stragglers are known. A step of a job takes as long as its slowest GPU does: that one computes all the
// time, its peers wait for it in a kernel that spins, so utilization is 97 to 100 % on all of them.
const (
	stragglerCluster = "insight"
	// stragglerSpan is the time range of these samples, and faultAfter when the faults begin.
	stragglerSpan = 2 * time.Hour
	faultAfter    = 40 * time.Minute
	gpusPerNode   = 8
)

// fault is what slows a GPU down. A zero fault is none.
type fault struct {
	cause string // as the label `cause` has it
	// clock is the share of the usual clock, and busy the share of time in which the GPU does not wait for its host.
	clock, busy float64
}

var (
	hot      = fault{"heat", 0.75, 1}
	capped   = fault{"power limit", 0.82, 1}
	silent   = fault{"low clock", 0.86, 1}
	unlinked = fault{"PCIe", 1, 0.72}
)

// simulatedJob is a job that runs in step on all GPUs of its nodes.
type simulatedJob struct {
	pool, model string
	nodes       []string
	clock       float64 // usual, in MHz
	// active reports whether a GPU works in a minute; nil is always.
	active func(minute, gpu int) bool
	// network is the share of time in which the job does not wait for its network; 0 is all.
	network float64
	// independent is true of a server of models: its GPUs have loads of their own.
	independent bool
	// idleClock is the clock of a GPU that does not work.
	idleClock float64
	faults    map[string]fault // by node/gpu, or by node for all of its GPUs
	// only is the number of GPUs of a node; 0 is eight.
	only int
}

const (
	h100 = "NVIDIA H100 80GB HBM3"
	a100 = "NVIDIA A100-SXM4-80GB"
)

// simulatedJobs are the situations. Each has nodes of its own, and a pool of its own where the pool matters.
func simulatedJobs() []simulatedJob {
	nodes := func(name string, n int) []string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("%s-%d", name, i))
		}
		return list
	}
	every := func(period, length int) func(int, int) bool {
		return func(minute, _ int) bool { return minute%period >= length }
	}
	return []simulatedJob{
		{pool: "hot", nodes: nodes("hot", 2), faults: map[string]fault{"hot-0/3": hot}},
		{pool: "capped", nodes: nodes("capped", 1), faults: map[string]fault{"capped-0/5": capped}},
		{pool: "silent", nodes: nodes("silent", 1), faults: map[string]fault{"silent-0/0": silent}},
		{pool: "two", nodes: nodes("two", 1), faults: map[string]fault{"two-0/1": hot, "two-0/6": silent}},
		{pool: "unlinked", nodes: nodes("unlinked", 1), faults: map[string]fault{"unlinked-0/2": unlinked}},
		{pool: "checkpoints", nodes: nodes("checkpoints", 1), active: every(15, 2), idleClock: 1980, faults: map[string]fault{"checkpoints-0/4": silent}},
		{pool: "healthy", nodes: nodes("healthy", 6)},
		{pool: "saving", nodes: nodes("saving", 2), active: every(20, 3), idleClock: 345},
		{pool: "loading", nodes: nodes("loading", 2), active: every(10, 4), idleClock: 1980},
		{pool: "network", nodes: nodes("network", 4), network: 0.6},
		{pool: "starting", nodes: nodes("starting", 1), idleClock: 345, active: func(minute, _ int) bool { return minute > 50 && minute < 80 }},
		{pool: "staggered", nodes: nodes("staggered", 1), idleClock: 345, active: func(minute, gpu int) bool { return minute > 30+5*gpu && minute < 110-5*gpu }},
		{pool: "half", nodes: nodes("half", 1), clock: 1500, idleClock: 1980, active: func(_, gpu int) bool { return gpu < 4 }},
		{pool: "mixed", nodes: nodes("mixed-h100", 2)},
		{pool: "mixed", nodes: nodes("mixed-a100", 2), model: a100, clock: 1410},
		{pool: "serving", nodes: nodes("serving", 6), independent: true},
		{pool: "pair", nodes: nodes("pair", 1), only: 2, faults: map[string]fault{"pair-0/1": hot}},
		{pool: "slow-node", nodes: nodes("slow-node", 6), faults: map[string]fault{"slow-node-4": {"heat", 0.84, 1}}},
		{pool: "models", nodes: nodes("models-h100", 5)},
		{pool: "models", nodes: nodes("models-a100", 5), model: a100, clock: 1410},
	}
}

// fault is that of a GPU in a minute.
func (j simulatedJob) fault(node string, gpu, minute int) fault {
	if minute >= int(faultAfter/time.Minute) {
		for _, name := range []string{node, fmt.Sprintf("%s/%d", node, gpu)} {
			if f, ok := j.faults[name]; ok {
				return f
			}
		}
	}
	return fault{clock: 1, busy: 1}
}

// gpu is one GPU and what its counters have counted.
type gpu struct {
	job                      simulatedJob
	node                     string
	index                    int
	powerSpread, slot        float64
	load                     float64 // of a server of models
	byHeat, byPower, replays float64
}

// readings are the values of a GPU's metrics, by name.
type readings map[string]float64

// pace is how fast the slowest GPU of a job lets it run.
func (j simulatedJob) pace(minute int) float64 {
	slowest := 1.0
	for _, node := range j.nodes {
		for index := range gpusPerNode {
			f := j.fault(node, index, minute)
			slowest = min(slowest, f.clock*f.busy)
		}
	}
	if j.network > 0 {
		slowest *= j.network
	}
	return slowest
}

// read makes the samples of a minute. The noise of a minute: clock 1.2 %, power and SM activity 5 %, tensor activity 7 %.
func (g *gpu) read(minute int, random *rand.Rand) readings {
	noise := func(width float64) float64 { return 1 + width*random.NormFloat64() }
	base := g.job.clock
	if base == 0 {
		base = 1980
	}
	if g.job.active != nil && !g.job.active(minute, g.index) {
		return g.with(readings{"DEV_SM_CLOCK": g.job.idleClock, "DEV_POWER_USAGE": 80, "DEV_GPU_TEMP": 35 + g.slot})
	}
	if g.job.independent {
		// The load of a server wanders. A heavy one reaches the power limit, which lowers its clock.
		g.load = min(max(g.load+0.1*random.NormFloat64(), 0.1), 1)
		return g.with(readings{
			"DEV_GPU_UTIL": 100 * min(1, 0.7+g.load), "DEV_SM_CLOCK": base * (1 - 0.15*g.load) * noise(0.012), "DEV_GPU_TEMP": 45 + 25*g.load + g.slot,
			"DEV_POWER_USAGE": (120 + 550*g.load) * g.powerSpread * noise(0.05), "PROF_SM_ACTIVE": 0.8 * g.load * noise(0.05),
			"PROF_PIPE_TENSOR_ACTIVE": 0.4 * g.load * noise(0.07),
		})
	}
	f := g.job.fault(g.node, g.index, minute)
	computes := g.job.pace(minute) / f.clock
	spins := 1 - computes
	idle := 0.0
	if f.busy < 1 {
		spins, idle = 0, 1-computes // it waits for its host, not for its peers
	}
	watts := 100 + 520*computes*math.Pow(f.clock, 2.5) + 240*spins
	r := readings{
		"DEV_GPU_UTIL": math.Round(100*(1-idle) - 2*random.Float64()), "DEV_SM_CLOCK": base * f.clock * noise(0.012),
		"DEV_POWER_USAGE": watts * g.powerSpread * noise(0.05), "DEV_GPU_TEMP": 40 + watts/25 + g.slot,
		"PROF_SM_ACTIVE": (0.82*computes + 0.3*spins) * noise(0.05), "PROF_PIPE_TENSOR_ACTIVE": 0.55 * computes * noise(0.07),
	}
	g.byPower += 60 * (0.05 + 0.1*random.Float64())
	switch f.cause {
	case "heat":
		r["DEV_GPU_TEMP"] += 20
		g.byHeat += 60 * (1 - f.clock)
	case "power limit":
		g.byPower += 60 * 0.5
	case "PCIe":
		g.replays += math.Round(60 * 2 * random.Float64())
	}
	return g.with(r)
}

// with adds the counters, and 0 for what a GPU without work does not do.
func (g *gpu) with(r readings) readings {
	for _, name := range []string{"DEV_GPU_UTIL", "PROF_SM_ACTIVE", "PROF_PIPE_TENSOR_ACTIVE"} {
		r[name] += 0
	}
	r["DEV_SM_CLOCK"] = 15 * math.Round(r["DEV_SM_CLOCK"]/15)
	r["DEV_THERMAL_VIOLATION"], r["DEV_POWER_VIOLATION"] = math.Round(1e9*g.byHeat), math.Round(1e9*g.byPower)
	r["DEV_PCIE_REPLAY_COUNTER"] = g.replays
	return r
}

// stragglersFrom is the first minute of these samples.
func (d dataset) stragglersFrom() time.Time { return d.to.Add(-stragglerSpan).Truncate(time.Minute) }

// addStragglers adds the GPUs of all simulated jobs.
func (d *dataset) addStragglers() {
	random := rand.New(rand.NewPCG(seed, 1))
	for _, job := range simulatedJobs() {
		for _, node := range job.nodes {
			offset := time.Duration(random.IntN(55_000)) * time.Millisecond
			for index := range gpusPerNode {
				if job.only == 0 || index < job.only {
					g := &gpu{job: job, node: node, index: index, powerSpread: 1 + 0.04*random.NormFloat64(), slot: 10*random.Float64() - 5, load: random.Float64()}
					d.addSimulatedGPU(g, offset, random)
				}
			}
		}
	}
}

func (d *dataset) addSimulatedGPU(g *gpu, offset time.Duration, random *rand.Rand) {
	model := g.job.model
	if model == "" {
		model = h100
	}
	labels := [][2]string{
		{"cluster_id", stragglerCluster}, {"instance", g.node}, {"vm_name", g.node}, {"gpu", fmt.Sprint(g.index)},
		{"nodepool_name", g.job.pool}, {"modelName", model}, {"UUID", fmt.Sprintf("GPU-%s-%d", g.node, g.index)},
	}
	byName := map[string]*series{}
	var names []string
	for minute := range int(stragglerSpan / time.Minute) {
		at := d.stragglersFrom().Add(time.Duration(minute)*time.Minute + offset)
		missed := random.IntN(40) == 0
		for name, v := range g.read(minute, random) {
			if byName[name] == nil {
				byName[name] = &series{name: "DCGM_FI_" + name, labels: labels}
				names = append(names, name)
			}
			if !missed && at.Before(d.to) {
				byName[name].samples = append(byName[name].samples, sample{at: at, value: v})
			}
		}
	}
	for _, name := range names {
		d.series = append(d.series, *byName[name])
	}
}
