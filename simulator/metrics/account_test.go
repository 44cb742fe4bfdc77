package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

var accounted = time.Date(2026, 5, 20, 15, 4, 5, 0, time.UTC)

func storeOf(seed uint64, incidents ...scenario.Incident) *Store {
	st := scenario.New(scenario.Config{Nodes: 4, GPUsPerNode: 8, Now: accounted, Seed: seed, Incidents: incidents})
	return New(st, func() time.Time { return accounted })
}

// pastMonth are the runs of the time that has samples.
func pastMonth(s *Store) []Run { return s.Runs(accounted.Add(-Retention), accounted) }

func TestAccount_ClassesAddUp(t *testing.T) {
	outOfService, xids := int64(0), 0
	for seed := range uint64(5) {
		for _, r := range pastMonth(storeOf(seed, scenario.GPUFailure)) {
			c := r.Time
			if c.Working+c.Throttled+c.Idle+c.OutOfService != c.Total || min(c.Working, c.Throttled, c.Idle, c.OutOfService) < 0 {
				t.Errorf("seed %d, %s: %+v", seed, r.ID, c)
			}
			if m := r.Minutes; m.Working+m.Idle+m.OutOfService != m.Total || m.Total/int64(r.GPUs) != r.End.Unix()/60-r.Start.Unix()/60 {
				t.Errorf("seed %d, %s: %+v", seed, r.ID, m)
			}
			if want := r.End.Sub(r.Start).Milliseconds() * int64(r.GPUs); c.Total != want || r.GPUs == 0 {
				t.Errorf("seed %d, %s: %d GPU-milliseconds, want %d", seed, r.ID, c.Total, want)
			}
			outOfService += c.OutOfService
			xids += r.XIDs
		}
	}
	if outOfService == 0 || xids == 0 {
		t.Errorf("%d GPU-milliseconds out of service, %d XIDs", outOfService, xids)
	}
}

func TestAccount_PartsAddUp(t *testing.T) {
	s := storeOf(0)
	run := pastMonth(s)[0]
	middle := run.Start.Add(run.End.Sub(run.Start) / 3)
	first, _ := s.Run(run.ID, run.Start, middle)
	second, _ := s.Run(run.ID, middle, run.End)
	for name, values := range map[string][3]float64{
		"GPU-hours": {run.GPUHours, first.GPUHours, second.GPUHours},
		"energy":    {run.Energy, first.Energy, second.Energy},
		"tokens":    {float64(run.Tokens), float64(first.Tokens), float64(second.Tokens)},
		"read":      {run.BytesRead, first.BytesRead, second.BytesRead},
		"idle":      {float64(run.Time.Idle), float64(first.Time.Idle), float64(second.Time.Idle)},
	} {
		if whole, parts := values[0], values[1]+values[2]; math.Abs(whole-parts) > 1e-6*whole {
			t.Errorf("%s: %g as a whole, %g in parts", name, whole, parts)
		}
	}
}

// TestAccount_LikeItsMetrics compares with the metrics' own formulas, noise and rounding included, evaluated every few seconds.
func TestAccount_LikeItsMetrics(t *testing.T) {
	const every = int64(7_000)
	s := storeOf(0, scenario.GPUFailure)
	runs := pastMonth(s)
	for _, run := range append(runs[:2:2], runs[len(runs)-3:]...) {
		pool, from, to := scenario.Pretraining, run.Start.UnixMilli(), run.End.UnixMilli()
		for pool.String() != run.Labels["nodepool_name"] {
			pool++
		}
		var n, utilization, idle, watts, energy float64
		reader := s.labelSets.scenario.Reader(pool, to+every)
		s.labelSets.eachOf(dimensions{s.labelSets.gpus}, pool, to, func(gpu *series) {
			gauge, counter := *gpu, *gpu
			gauge.column, counter.column = &column{}, &column{accumulated: true}
			sample := func(one *series, f formula, at int64) float64 {
				one.column.value = f
				return one.sample(&moment{}, reader, at)
			}
			for at := from; at < to; at += every {
				n++
				busy := sample(&gauge, gpuUtil, at)
				utilization += busy
				watts += sample(&gauge, gpuPower, at)
				if busy < IdleBelow && gpu.serves(at) {
					idle++
				}
			}
			for at, sign := range map[int64]float64{from: -1, to: 1} {
				counter.counterRate = newCounterRate(window{from: at, to: at}, 1)
				energy += sign * sample(&counter, gpuEnergy, at)
			}
		})
		hours := run.GPUHours
		for name, pair := range map[string][2]float64{
			"utilization":     {run.Utilization, utilization / n},
			"energy":          {run.Energy, watts / n * hours / 1000},
			"energy, counted": {run.Energy, energy / 3600e6},
		} {
			if math.Abs(pair[0]-pair[1]) > 0.01*pair[1] {
				t.Errorf("%s, %s: %g, of samples %g", run.Labels["pod_name"], name, pair[0], pair[1])
			}
		}
		if share, sampled := float64(run.Time.Idle)/float64(run.Time.Total), idle/n; math.Abs(share-sampled) > 0.01 {
			t.Errorf("%s is idle for %g of the time, of samples %g", run.Labels["pod_name"], share, sampled)
		}
	}
}

func TestRuns_RestartsAndRunning(t *testing.T) {
	running, restarts := 0, 0
	last := map[string]Run{}
	for _, r := range pastMonth(storeOf(0)) {
		if r.Status == "running" {
			running++
			if !r.End.Equal(accounted) {
				t.Errorf("%s is running and ends at %s", r.ID, r.End)
			}
		}
		if former := last[r.Labels["nodepool_name"]]; former.Name == r.Name {
			restarts++
			if former.Status != "failed" || !r.Start.After(former.End.Add(10*time.Minute)) || r.Labels["model"] != former.Labels["model"] {
				t.Errorf("%+v is no restart of %+v", r, former)
			}
		}
		last[r.Labels["nodepool_name"]] = r
	}
	if running == 0 || restarts == 0 {
		t.Errorf("%d runs are running, %d are restarts", running, restarts)
	}
}

func TestRuns_Seeds(t *testing.T) {
	seen := map[time.Time]uint64{}
	for seed := range uint64(50) {
		start := pastMonth(storeOf(seed))[0].Start
		if other, ok := seen[start]; ok {
			t.Errorf("the seeds %d and %d begin with the same run", seed, other)
		}
		seen[start] = seed
	}
}
