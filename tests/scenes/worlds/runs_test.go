package worlds_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// ran is a run that has happened: its GPUs by the second, and how they are scraped.
type ran struct {
	name          string
	start, length int // seconds
	interval      int // between scrapes, seconds
	gpus          int
	counters      int  // GPUs with an energy counter
	part          int  // GPUs that are there for the second half only
	pause, every  int  // seconds without work of as many
	pods          bool // series of GPUs have the run's pod, and are there only while it is
	slurm         bool // the same with its Slurm job in place of a pod
	missed        float64
	upgraded      bool // in the middle series get a UUID and other names of their node and model
	stale         bool // a sample says that a series has ended
	seed, phase   int
}

// truth are the measures of a run, by the second.
func (r ran) truth() map[string]float64 {
	seconds, busy, joules := 0.0, 0.0, 0.0
	for at := range r.length {
		for g := range r.gpus {
			if r.there(g, r.start+at) {
				seconds++
				joules += r.power(g, r.start+at)
				if r.works(r.start + at) {
					busy++
				}
			}
		}
	}
	return map[string]float64{
		"length": float64(r.length), "gpus": float64(r.gpus), "gpu_hours": seconds / 3600, "energy": joules / 3.6e6,
		"utilization": 96 * busy / seconds, "idle": 1 - busy/seconds, "sm_activity": 0.4 * busy / seconds,
	}
}

func (r ran) there(g, at int) bool {
	return (!r.pods || at >= r.start && at < r.start+r.length) && (g >= r.part || at >= r.start+r.length/2)
}
func (r ran) works(at int) bool { return r.every == 0 || (at+1234)%r.every >= r.pause }
func (r ran) power(g, at int) float64 {
	if r.works(at) {
		return 600 + 10*float64(g)
	}
	return 90
}

// scrapes are the samples around a run.
func (r ran) scrapes() []scenes.Series {
	random := rand.New(rand.NewPCG(uint64(r.length), uint64(r.interval+1000*r.seed)))
	var all []scenes.Series
	owner := []string{"pod", "trainer-0", "namespace", "team"}
	if r.slurm {
		owner = []string{"hpc_job", "7"}
	}
	loss := scenes.Series{Labels: labels.FromStrings(append([]string{"__name__", "training_loss"}, owner...)...)}
	for at := r.start/r.interval*r.interval + r.phase; at < r.start+r.length; at += r.interval {
		if at >= r.start {
			loss.Samples = append(loss.Samples, scenes.Sample{At: scenes.Start.Add(time.Duration(at) * time.Second), Value: 2})
		}
	}
	all = append(all, loss)
	for g := range r.gpus {
		byKey, energy, counted := map[string]*scenes.Series{}, 0.0, 0
		phase := random.IntN(r.interval)
		for at := max(0, r.start-1800)/r.interval*r.interval + phase; at < r.start+r.length+1800; at += r.interval {
			for ; counted < at; counted++ {
				energy += r.power(g, counted)
			}
			since := at - r.start
			if !r.there(g, at) || random.Float64() < r.missed {
				continue
			}
			more := []string{"Hostname", "node-1", "modelName", "H100"}
			if r.upgraded && since > r.length/2 {
				more = []string{"hostname", "node-1", "modelName", "NVIDIA H100", "UUID", strconv.Itoa(g)}
			}
			if r.pods {
				more = append(more, owner...)
			}
			util, tensor := 0.0, 0.0
			if r.works(at) {
				util, tensor = 92+8*random.Float64(), 0.4
			}
			of := fmt.Sprint(more)
			put := func(name string, value float64) {
				key := name + of
				if byKey[key] == nil {
					byKey[key] = &scenes.Series{Labels: labels.FromStrings(append(more, "__name__", name, "gpu", strconv.Itoa(g))...)}
				}
				when := scenes.Start.Add(time.Duration(at)*time.Second + time.Duration(random.IntN(400))*time.Millisecond)
				byKey[key].Samples = append(byKey[key].Samples, scenes.Sample{At: when, Value: value})
			}
			put("DCGM_FI_DEV_GPU_UTIL", util)
			put("DCGM_FI_PROF_SM_ACTIVE", tensor)
			put("DCGM_FI_DEV_POWER_USAGE", r.power(g, at))
			if g < r.counters {
				put("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", energy*1000)
			}
		}
		for _, one := range byKey {
			if last := len(one.Samples) - 1; r.stale {
				one.Samples = append(one.Samples, scenes.Sample{At: one.Samples[last].At.Add(time.Duration(r.interval) * time.Second), Value: math.Float64frombits(value.StaleNaN)})
			}
			all = append(all, *one)
		}
	}
	return all
}

const hour, day = 3600, 86400

var lengths = []ran{
	{name: "5 minutes", length: 300, interval: 60},
	{name: "12 minutes, 15 s", length: 720, interval: 15, every: 240, pause: 60},
	{name: "30 minutes, 5 min", length: 1800, interval: 300},
	{name: "1 hour", length: hour, interval: 60, every: 600, pause: 120},
	{name: "3 hours, 5 min", length: 3 * hour, interval: 300, missed: 0.01},
	{name: "4 hours, half of the GPUs for half of them", length: 4 * hour, interval: 60, part: 4, every: 1800, pause: 300},
	{name: "8 hours, an upgrade", length: 8 * hour, interval: 60, every: hour, pause: 400, upgraded: true, missed: 0.01},
	{name: "20 hours, 15 s", length: 20 * hour, interval: 15, every: hour, pause: 400},
	{name: "9 days", length: 9 * day, interval: 60, every: 7000, pause: 800, missed: 0.01},
	{name: "29 days, a pause of 3 minutes each hour", length: 29 * day, interval: 60, every: hour, pause: 180},
	{name: "29 days, a pause of half of each hour", length: 29 * day, interval: 60, every: hour, pause: 1800},
}

var compared = []string{"length", "gpus", "gpu_hours", "energy", "utilization", "sm_activity", "idle"}

// TestRuns compares measures of runs whose times are known with what happened by the second. Half of the GPUs have an energy counter.
func TestRuns(t *testing.T) {
	for _, r := range lengths {
		t.Run(r.name, func(t *testing.T) {
			r.start, r.gpus = 4*hour+23, 8
			if r.length > day {
				r.gpus = 2
			}
			r.counters = r.gpus / 2
			at := func(second int) string {
				return scenes.Start.Add(time.Duration(second) * time.Second).Format(time.RFC3339)
			}
			off := r.off(t, fmt.Sprintf(`{"queryType": "runs", "selector": "{}", "source": {"kind": "manual", "runs": [{"name": "a", "from": %q, "to": %q}]}}`,
				at(r.start), at(r.start+r.length)))
			for _, name := range compared {
				t.Logf("%-18s %+.2f %%", name, off[name])
				require.InDelta(t, 0, off[name], 1, name)
			}
		})
	}
}

// TestRuns_Pods compares those of pods, whose own samples are all that tells their times, with or without a sample that ends a series. A
// single run is up to an interval off at either end, so these are means over runs that begin anywhere between two scrapes.
func TestRuns_Pods(t *testing.T) {
	for _, short := range []struct{ interval, length int }{{60, 300}, {60, 720}, {60, 1800}, {60, hour}, {15, 300}, {15, hour}, {300, 1800}, {300, 3 * hour}} {
		for _, stale := range []bool{false, true} {
			count := env("RUNS", 8)
			mean, all := map[string]float64{}, map[string][]float64{}
			for seed := range count {
				random := rand.New(rand.NewPCG(uint64(seed), 5))
				r := ran{
					length: short.length + random.IntN(60), interval: short.interval, gpus: 4, counters: 2, pods: true, stale: stale, seed: seed,
					phase: random.IntN(short.interval), start: 4*hour + random.IntN(short.interval),
				}
				for name, off := range r.off(t, `{"queryType": "runs", "source": {"kind": "series", "expr": "training_loss", "by": ["pod"]}}`) {
					mean[name] += off / float64(count)
					all[name] = append(all[name], math.Abs(off))
				}
			}
			for _, name := range []string{"gpu_hours", "energy", "utilization"} {
				slices.Sort(all[name])
				t.Logf("%d s, every %d s, with an end %v: %s %+.2f %%, 90 %% within %.2f %%", short.length, short.interval, stale, name, mean[name], all[name][count*9/10])
				require.InDelta(t, 0, mean[name], max(1, 50*float64(short.interval)/float64(short.length)), name)
			}
		}
	}
}

// TestRuns_SlurmJobs has jobs of five minutes that the exporter names: the first of their samples counts, which may be before that of the loss.
func TestRuns_SlurmJobs(t *testing.T) {
	const count = 32
	mean := 0.0
	for seed := range count {
		random := rand.New(rand.NewPCG(uint64(seed), 6))
		r := ran{
			length: 300, interval: 60, gpus: 2, pods: true, slurm: true, stale: true, seed: seed,
			phase: random.IntN(60), start: 4*hour + random.IntN(60),
		}
		mean += r.off(t, `{"queryType": "runs", "source": {"kind": "series", "expr": "training_loss", "by": ["hpc_job"]}}`)["gpu_hours"] / count
	}
	require.InDelta(t, 0, mean, 5)
}

// off says by how much measures of a run differ from what happened, in percent of it, or of the run for what is rare.
func (r ran) off(t *testing.T, saved string) map[string]float64 {
	t.Helper()
	s := scenes.Scene{Series: r.scrapes()}
	rows := s.With(fmt.Sprintf(`{"timeInterval": "%ds"}`, r.interval)).
		Rows(t, saved, scenes.Start, scenes.Start.Add(time.Duration(r.start+r.length+1500)*time.Second))
	require.Len(t, rows, 1)
	found := map[string]float64{}
	for name, truth := range r.truth() {
		ours, ok := rows[0][name].(float64)
		require.True(t, ok, name)
		if found[name] = 100 * (ours/truth - 1); name == "idle" {
			found[name] = 100 * (ours - truth)
		}
	}
	return found
}
