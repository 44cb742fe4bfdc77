package worlds

import (
	"fmt"
	"math"
	"strconv"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
)

// track is what one GPU does in each second.
type track struct {
	util, sm, tc, dram, power, mem, clock, temp []float32
	energy, powerViolation, thermalViolation    []float64
	cause                                       []Cause
	gone                                        []bool
}

func (t *Truth) track(g int) *track {
	r, b, n, end := random(t.Seed, uint64(g)), t.board, t.nodes[g/8], t.end
	f := func() []float32 { return make([]float32, end) }
	k := &track{f(), f(), f(), f(), f(), f(), f(), f(), make([]float64, end), make([]float64, end), make([]float64, end), make([]Cause, end), make([]bool, end)}
	ambient := between(r, 24, 32)
	for s := range end {
		k.cause[s], k.power[s], k.mem[s], k.clock[s] = Free, float32(b.Idle+r.NormFloat64()), float32(b.Reserved), float32(b.IdleClock)
	}
	for _, j := range t.gpus[g].jobs {
		used := false
		for _, u := range j.gpus {
			used = used || u == g
		}
		if !used {
			for s := max(0, j.start); s < min(end, j.end); s++ {
				k.cause[s] = Held
			}
			continue
		}
		shift := r.Float64()
		for _, p := range j.phases {
			for s := max(0, p.from); s < min(end, p.to); s++ {
				k.cause[s] = p.cause
				if p.none {
					if t.Owner == "" {
						k.cause[s] = Free
					}
					continue
				}
				k.mem[s] = float32(b.Reserved + 450 + j.mem*(b.Memory-b.Reserved-500))
				busy := p.busy(float64(s), shift)
				k.util[s] = float32(math.Min(100, math.Round(busy*(p.util+r.Float64()*1.9-0.9))))
				k.sm[s], k.tc[s], k.dram[s] = float32(busy*p.sm), float32(busy*p.tc), float32(busy*p.dram)
				watts := p.power * b.Limit
				if p.power < 0 {
					watts = b.Context - p.power*b.Limit
				} else if n.locked < 1 {
					watts = min(watts, 0.8*b.Limit)
				}
				k.power[s] = float32(b.Context + busy*(watts-b.Context)*(1+0.03*r.NormFloat64()) + r.NormFloat64())
				clock := b.Clock
				if busy > 0.3 && p.power > 0.96 && n.locked == 1 {
					clock *= t.gpus[g].lottery * (1 + 0.015*r.NormFloat64())
					k.powerViolation[s] = busy * between(r, 2e8, 9e8)
				}
				if n.locked < 1 {
					clock = math.Min(clock, b.Clock*n.locked)
				}
				k.clock[s] = float32(math.Floor(clock/15) * 15)
			}
		}
	}
	for _, o := range t.gpus[g].outages {
		for s := o.to; s < min(end, o.to+400) && !o.reset; s++ { // a diagnosis shows that it is well
			k.cause[s], k.util[s], k.sm[s], k.tc[s], k.dram[s] = Computing, 100, 0.9, 0.5, 0.5
			k.power[s], k.clock[s], k.mem[s] = float32(0.85*b.Limit), float32(b.Clock), float32(b.Memory/2)
		}
		for s := o.from; s < min(end, o.to); s++ {
			k.cause[s], k.gone[s] = Faulted, o.gone
		}
	}
	heat := 0.0
	for _, o := range t.gpus[g].waits {
		for s := o.from; s < min(end, o.to); s++ {
			if (s-o.from)%o.period < o.on {
				k.sm[s] *= float32(o.factor)
				k.tc[s] *= float32(o.factor)
				k.power[s] *= float32(0.4 + 0.6*o.factor)
			}
		}
	}
	for s := range end {
		hot := 0.0
		for _, o := range t.gpus[g].slow {
			if s < o.from || s >= o.to || k.util[s] == 0 || (s-o.from)%o.period >= o.on {
				continue
			}
			k.clock[s] = float32(math.Floor(float64(k.clock[s])*o.factor*(1+0.01*r.NormFloat64())/15) * 15)
			k.power[s] *= float32(0.35 + 0.65*o.factor)
			switch o.reason {
			case "heat":
				hot = 1
				k.thermalViolation[s] = between(r, 3e8, 9e8)
			case "brake":
				k.powerViolation[s] = between(r, 6e8, 1e9)
			}
			if k.cause[s] == Computing {
				k.cause[s] = Throttled
			}
		}
		target := ambient + 38*float64(k.power[s])/b.Limit
		if hot > 0 {
			target = 88
		}
		heat += (target - heat) * 0.03
		if s == 0 {
			heat = target
		}
		k.temp[s] = float32(math.Round(heat))
		if s > 0 {
			k.energy[s] = k.energy[s-1]
			k.powerViolation[s] += k.powerViolation[s-1]
			k.thermalViolation[s] += k.thermalViolation[s-1]
		} else {
			k.energy[s] = between(r, 1e9, 1e12)
		}
		k.energy[s] += float64(k.power[s]) * 1000
	}
	for _, d := range n.dark {
		for s := max(0, d[0]); s < min(end, d[1]); s++ {
			k.cause[s] = NoData
		}
	}
	return k
}

// busy is the part of a second in which kernels run.
func (p phase) busy(s, shift float64) float64 {
	if p.duty >= 1 || p.duty <= 0 {
		return math.Min(1, p.duty)
	}
	total := 0.0
	for _, part := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
		if _, at := math.Modf((s+part)/p.step + shift); at < p.duty {
			total += 0.2
		}
	}
	return total
}

func mean(values []float32, to int) float64 {
	total, from := 0.0, max(0, to-30)
	for s := from; s <= to; s++ {
		total += float64(values[s])
	}
	return total / float64(to-from+1)
}

// Samples are all metrics of a world, and the cause of each minute of each GPU by cluster, node and index.
func (t *Truth) Samples() (*Store, map[string][]Cause) {
	st, causes := newStore(), map[string][]Cause{}
	for n := range t.nodes {
		r := random(t.Seed, uint64(1000+n))
		phase, grid := r.IntN(t.Interval), r.IntN(30)
		rollout := t.end
		if t.Rollout {
			rollout = t.end/2 + r.IntN(900)
		}
		gap := 15 + r.IntN(60)
		var scrapes []scrape
		for at := phase; at < t.end; at += t.Interval {
			s := scrape{ms: Start.UnixMilli() + int64(at)*1000 + int64(r.IntN(1500)), at: at, missed: r.Float64() < 0.01, pod: 0}
			if t.Interval >= 300 {
				s.missed = r.Float64() < 0.003
			}
			for _, d := range t.nodes[n].dark {
				s.missed = s.missed || at >= d[0] && at < d[1]
			}
			s.missed = s.missed || at >= rollout && at < rollout+gap
			if at >= rollout {
				s.pod = 1
			}
			s.collected = max(0, at-(at-grid+30)%30)
			scrapes = append(scrapes, s)
		}
		cluster, host := t.host(n)
		if t.Clusters == 0 {
			cluster = ""
		}
		for i := range 8 {
			g := n*8 + i
			k := t.track(g)
			uuid := fmt.Sprintf("GPU-%d-%04d", t.Seed, g)
			t.emit(st, g, k, uuid, scrapes)
			for m := 0; m < t.end/60; m++ {
				c := most(k.cause[m*60 : m*60+60])
				d := t.MIG && g%4 == 3
				if d && !t.Profiling && (c == Free || c == Held || c == Low) {
					c = NotMeasured
				}
				causes[id(cluster, host, i)] = append(causes[id(cluster, host, i)], c)
			}
		}
		t.slurm(st, n, scrapes)
	}
	return st, causes
}

type scrape struct {
	ms            int64
	at, collected int
	missed        bool
	pod           int
}

func most(causes []Cause) (found Cause) {
	var count [80]int
	for _, c := range causes {
		if count[c]++; count[c] > count[found] {
			found = c
		}
	}
	return found
}

func (t *Truth) emit(st *Store, g int, k *track, uuid string, scrapes []scrape) {
	cluster, host := t.host(g / 8)
	divided := t.MIG && g%4 == 3
	last := ""
	for _, s := range scrapes {
		c := s.collected
		key, lb := "", labels.NewBuilder(labels.EmptyLabels())
		set := func(name, v string) { lb.Set(name, v); key += v + "|" }
		set(t.Host, host)
		set("gpu", strconv.Itoa(g%8))
		lb.Set("UUID", uuid)
		lb.Set("modelName", t.board.Name)
		if t.Clusters > 0 {
			set("cluster_id", cluster)
		}
		instance := host + ":9400"
		if t.Host != "vm_name" {
			instance = fmt.Sprintf("10.0.%d.%d:9400", s.pod, g/8)
		}
		set("instance", instance)
		j := t.jobAt(g, s.at)
		switch t.Owner {
		case "pod":
			if j != nil {
				set("pod", fmt.Sprintf("%s-%d", j.kind, j.id))
				set("namespace", "team-"+string(j.kind))
			}
		case "exported":
			set("pod", fmt.Sprintf("dcgm-exporter-%d-%d", g/8, s.pod))
			set("namespace", "monitoring")
			if j != nil {
				set("exported_pod", fmt.Sprintf("%s-%d", j.kind, j.id))
				set("exported_namespace", "team-"+string(j.kind))
			}
		case "hpc_job":
			if j != nil {
				set("hpc_job", strconv.Itoa(j.id))
			}
		}
		absent := s.missed || k.gone[s.at]
		if last != "" && (last != key || absent) {
			if t.Stale || !s.missed {
				st.stale(last, s.ms)
			}
			last = ""
		}
		if absent {
			continue
		}
		last = key
		put := func(name string, v float64, more ...string) {
			st.add(key, name, lb, s.ms, v, more...)
		}
		put("DCGM_FI_DEV_POWER_USAGE", math.Round(float64(k.power[c])*1000)/1000)
		put("DCGM_FI_DEV_SM_CLOCK", float64(k.clock[c]))
		put("DCGM_FI_DEV_GPU_TEMP", float64(k.temp[c]))
		put("DCGM_FI_DEV_XID_ERRORS", float64(t.xidAt(g, c)))
		if t.Energy {
			put("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", math.Round(k.energy[c]))
		}
		if t.Violations {
			put("DCGM_FI_DEV_POWER_VIOLATION", math.Round(k.powerViolation[c]))
			put("DCGM_FI_DEV_THERMAL_VIOLATION", math.Round(k.thermalViolation[c]))
		}
		if divided {
			for i := range 2 {
				more := []string{"GPU_I_ID", strconv.Itoa(i + 1), "GPU_I_PROFILE", "3g.40gb"}
				put("DCGM_FI_DEV_FB_USED", math.Round(float64(k.mem[c])/2), more...)
				if t.Profiling {
					put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", mean(k.util, c)/100, more...)
				}
			}
			continue
		}
		put("DCGM_FI_DEV_GPU_UTIL", float64(k.util[c]))
		put("DCGM_FI_DEV_FB_USED", math.Round(float64(k.mem[c])))
		put("DCGM_FI_DEV_FB_FREE", t.board.Memory-math.Round(float64(k.mem[c])))
		if t.Profiling {
			put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", mean(k.util, c)/100)
			put("DCGM_FI_PROF_SM_ACTIVE", mean(k.sm, c))
			put("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", mean(k.tc, c))
			put("DCGM_FI_PROF_DRAM_ACTIVE", mean(k.dram, c))
		}
	}
}

func (t *Truth) jobAt(g, at int) *job {
	for _, j := range t.gpus[g].jobs {
		if at >= j.start && at < j.end {
			return j
		}
	}
	return nil
}

func (t *Truth) xidAt(g, at int) int {
	code, when := 0, -2
	for _, x := range t.gpus[g].xids {
		if x.at <= at && x.at > when {
			code, when = x.code, x.at
		}
	}
	for _, o := range t.gpus[g].outages {
		if !o.gone && at >= o.from && o.from > when {
			code, when = o.code, o.from
		}
		if o.reset && at >= o.to && o.to > when {
			code, when = 0, o.to
		}
	}
	return code
}

func (t *Truth) slurm(st *Store, n int, scrapes []scrape) {
	if t.Owner != "slurm" {
		return
	}
	_, host := t.host(n)
	for _, s := range scrapes {
		j := t.jobAt(n*8, s.at)
		if j == nil || s.missed {
			continue
		}
		id := strconv.Itoa(j.id)
		key := fmt.Sprint("slurm", n, "|", id)
		lb := labels.NewBuilder(labels.FromStrings("job_id", id))
		st.add(key, "slurm_node_job", lb, s.ms, 1, "node_name", host)
		st.add(key+"info", "slurm_job_info", lb, s.ms, 1, "job_name", string(j.kind), "user_name", "user-"+string(j.kind), "job_state", "RUNNING", "slurm_partition", "main")
		if next := s.at + t.Interval; next >= j.end {
			st.stale(key, s.ms+int64(t.Interval)*1000)
			st.stale(key+"info", s.ms+int64(t.Interval)*1000)
		}
	}
}

var staleNaN = math.Float64frombits(value.StaleNaN)

func id(cluster, host string, gpu int) string { return cluster + "/" + host + "/" + strconv.Itoa(gpu) }
