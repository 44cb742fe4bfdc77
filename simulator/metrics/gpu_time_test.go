package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// slowStore is a store of a fleet with random slowdowns over three days.
func slowStore(seed uint64) *Store {
	c := scenario.Config{Nodes: 8, GPUsPerNode: 8, Now: accounted, Seed: seed, Incidents: []scenario.Incident{scenario.GPUFailure}}
	c.Slowdowns = scenario.RandomSlowdowns(seed, scenario.New(c).Fleet(), accounted.Add(-3*24*time.Hour).UnixMilli(), accounted.UnixMilli())
	return New(scenario.New(c), func() time.Time { return accounted })
}

func TestGPUTime_AddsUp(t *testing.T) {
	var all Causes
	for seed := range uint64(20) {
		for _, gpu := range slowStore(seed).GPUTime(accounted.Add(-3*24*time.Hour), accounted) {
			c := gpu.Causes
			sum := c.Faulted + c.Throttled + c.Computing + c.Network + c.Storage + c.Host + c.Unknown + c.HeldIdle + c.Free
			if sum != 3*24*60 {
				t.Fatalf("seed %d, %s, GPU %d: %d minutes of three days: %+v", seed, gpu.Node, gpu.GPU, sum, c)
			}
			all.Faulted += c.Faulted
			all.Throttled += c.Throttled
			all.Computing += c.Computing
			all.Network += c.Network
			all.Storage += c.Storage
			all.Host += c.Host
			all.Unknown += c.Unknown
			all.HeldIdle += c.HeldIdle
			all.Free += c.Free
		}
	}
	if min(all.Faulted, all.Throttled, all.Computing, all.Network, all.Storage, all.Host, all.Unknown, all.HeldIdle, all.Free) == 0 {
		t.Errorf("a cause never occurs: %+v", all)
	}
}

// TestSlowdowns_Metrics compares samples in slowdowns with those of the peers of the culprit.
func TestSlowdowns_Metrics(t *testing.T) {
	seen := map[scenario.SlowdownKind]int{}
	for seed := range uint64(20) {
		s := slowStore(seed)
		for _, d := range s.labelSets.scenario.Slowdowns() {
			reader := s.labelSets.scenario.Reader(d.Pool, d.End)
			at := (d.Start/minute + 1) * minute
			if load := reader.At(at); load.Compute < 0.5 || d.GPU.Index < 0 {
				continue
			}
			seen[d.Kind]++
			var clock, peersClock, util float64
			s.labelSets.eachOf(dimensions{s.labelSets.gpus}, d.Pool, at, func(gpu *series) {
				m := moment{t: at, load: gpu.instant(reader, at)}
				switch {
				case gpu.node == d.GPU.Node && gpu.gpu == d.GPU.Index:
					clock, util = smClock(gpu, &m), gpuUtil(gpu, &m)
				case gpu.serves(at):
					peersClock = max(peersClock, smClock(gpu, &m))
				}
			})
			if d.Kind == scenario.SlowPCIe {
				if util > 101*d.Pace || clock < 0.95*peersClock {
					t.Errorf("%+v: %g %%, at %g MHz", d, util, clock)
				}
			} else if math.Abs(clock/peersClock-d.Pace) > 0.03 || util < 96 {
				t.Errorf("%+v: %g MHz of %g, %g %%", d, clock, peersClock, util)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("seen: %v", seen)
	}
}

// TestSlowdowns_CountersFollowGauges compares the energy that is counted in slowdowns with the power drawn.
func TestSlowdowns_CountersFollowGauges(t *testing.T) {
	s := slowStore(1)
	from, to := accounted.Add(-2*24*time.Hour).UnixMilli(), accounted.UnixMilli()
	for pool := scenario.Pretraining; pool < scenario.Serving; pool++ {
		reader := s.labelSets.scenario.Reader(pool, to+minute)
		s.labelSets.eachOf(dimensions{s.labelSets.gpus}, pool, to, func(gpu *series) {
			gauge, counter := *gpu, *gpu
			gauge.column, counter.column = &column{value: gpuPower}, &column{accumulated: true, value: gpuEnergy}
			joules, last := 0.0, -1.0
			for at := from; at < to; at += 15_000 {
				joules += 15 * gauge.sample(&moment{}, reader, at)
			}
			var counted [2]float64
			for i, at := range []int64{from, to} {
				counter.counterRate = newCounterRate(window{from: at, to: at}, 1)
				counted[i] = counter.sample(&moment{}, reader, at) / 1000
			}
			counter.counterRate = newCounterRate(window{from: from, to: to}, minute)
			for at := from; at < to; at += minute {
				value := counter.sample(&moment{}, reader, at/minute*minute)
				if value < last {
					t.Fatalf("GPU %d of node %d: the counter falls from %g to %g", gpu.gpu, gpu.node, last, value)
				}
				last = value
			}
			if off := (counted[1] - counted[0]) / joules; math.Abs(off-1) > 0.01 {
				t.Errorf("GPU %d of node %d: counted %.3f times the power drawn", gpu.gpu, gpu.node, off)
			}
		})
	}
}
