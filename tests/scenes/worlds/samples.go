package worlds

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// Start is the time 0 of every world.
var Start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// store has series by the names of their metrics.
type store struct {
	byName map[string]map[uint64]*series
	names  []string
}

type series struct {
	labels  labels.Labels
	samples []chunks.Sample
}

func (s *store) add(name string, at time.Time, value float64, pairs ...string) {
	identity := labels.FromStrings(append([]string{model.MetricNameLabel, name}, pairs...)...)
	if s.byName[name] == nil {
		s.byName[name] = map[uint64]*series{}
		s.names = append(s.names, name)
	}
	one := s.byName[name][identity.Hash()]
	if one == nil {
		one = &series{labels: identity}
		s.byName[name][identity.Hash()] = one
	}
	one.samples = append(one.samples, float{at.UnixMilli(), value})
}

// Samples are those that a platform scrapes of the world: late by some seconds, and one in a hundred and fifty is missed.
func (w *World) Samples() storage.Queryable {
	s := &store{byName: map[string]map[uint64]*series{}}
	every := int(w.Scrape / tick)
	for n := range w.Nodes {
		offset, restarts := w.r.IntN(every), w.r.IntN(w.ticks)
		first := make([]int, gpusPerNode)
		energy, heat, brake := make([]float64, gpusPerNode), make([]float64, gpusPerNode), make([]float64, gpusPerNode)
		for at := offset; at < w.ticks; at += every {
			missed, late := w.r.Float64() < 1./150, time.Duration(w.r.IntN(2000))*time.Millisecond
			for g := range gpusPerNode {
				for _, m := range w.gpus[n*gpusPerNode+g][first[g] : at+1] {
					seconds := tick.Seconds()
					energy[g] += max(float64(m.power), 0) * seconds * 1000
					heat[g] += float64(m.heat) * seconds * 1e9
					brake[g] += float64(m.brake) * seconds * 1e9
				}
				first[g] = at + 1
				m := w.gpus[n*gpusPerNode+g][at]
				if m.power < 0 || missed {
					continue
				}
				w.scrape(s, n*gpusPerNode+g, at, Start.Add(time.Duration(at)*tick+late), w.Restarts && at > restarts, energy[g], heat[g], brake[g])
			}
			w.scrapeJobs(s, n, at, Start.Add(time.Duration(at)*tick+late))
		}
	}
	return s
}

// labelsOf are those of a GPU at a time.
func (w *World) labelsOf(gpu, at int, restarted bool) []string {
	cluster, node, index := w.names(gpu)
	host, instance := "Hostname", "10.0.0."+strconv.Itoa(gpu/gpusPerNode)
	if w.Renamed && at > w.ticks/2 {
		host = "hostname"
	}
	if restarted {
		instance = "10.0.1." + strconv.Itoa(gpu/gpusPerNode)
	}
	pairs := []string{"cluster_id", cluster, host, node, "gpu", index, "modelName", w.Model, "nodepool_name", "p", "instance", instance + ":9400"}
	owner := w.gpus[gpu][at].owner
	switch {
	case w.Soperator:
		pairs = append(pairs, "pod", "dcgm-exporter-x", "exported_pod", "worker-"+cluster+"-"+node, "exported_namespace", "soperator")
	case w.Pods && owner > 0:
		pairs = append(pairs, "pod", "gpu-agent-x", "exported_pod", fmt.Sprintf("job-%d", owner), "exported_namespace", "team")
	case w.Pods:
		pairs = append(pairs, "pod", "gpu-agent-x")
	}
	return pairs
}

func (w *World) scrape(s *store, gpu, at int, now time.Time, restarted bool, energy, heat, brake float64) {
	m, pairs := w.gpus[gpu][at], w.labelsOf(gpu, at, restarted)
	add := func(name string, value float64, more ...string) {
		s.add("DCGM_FI_"+name, now, value, append(pairs[:len(pairs):len(pairs)], more...)...)
	}
	active := 0.0 // the mean of 30 s
	for _, one := range w.gpus[gpu][max(at-5, 0) : at+1] {
		active += float64(one.sm) / float64(min(at+1, 6))
	}
	mig := w.isMIG(gpu / gpusPerNode)
	add("DEV_POWER_USAGE", float64(m.power))
	add("DEV_TOTAL_ENERGY_CONSUMPTION", energy)
	add("DEV_SM_CLOCK", float64(m.clock))
	add("DEV_GPU_TEMP", float64(m.celsius))
	add("DEV_XID_ERRORS", float64(m.xid))
	instances := [][]string{nil}
	if mig {
		instances = [][]string{{"GPU_I_ID", "1"}, {"GPU_I_ID", "2"}}
	} else {
		add("DEV_GPU_UTIL", float64(m.util))
	}
	for _, instance := range instances {
		add("DEV_FB_USED", float64(m.memory), instance...)
		if w.Profiling {
			add("PROF_GR_ENGINE_ACTIVE", min(1, active*1.2), instance...)
			add("PROF_SM_ACTIVE", active, instance...)
		}
	}
	if w.Counters {
		add("DEV_THERMAL_VIOLATION", heat)
		add("DEV_POWER_VIOLATION", brake)
	}
}

func (w *World) scrapeJobs(s *store, node, at int, now time.Time) {
	if !w.Soperator {
		return
	}
	cluster, name, _ := w.names(node * gpusPerNode)
	worker := "worker-" + cluster + "-" + name
	s.add("slurm_node_info", now, 1, "cluster_id", cluster, "node_name", worker)
	owners := map[int16]bool{}
	for g := range gpusPerNode {
		if owner := w.gpus[node*gpusPerNode+g][at].owner; owner > 0 {
			owners[owner] = true
		}
	}
	for owner := range owners {
		s.add("slurm_node_job", now, 1, "cluster_id", cluster, "node_name", worker, "job_id", strconv.Itoa(int(owner)))
	}
}

// Querier implements storage.Queryable.
func (s *store) Querier(from, to int64) (storage.Querier, error) { return querier{s, from, to}, nil }

type querier struct {
	*store
	from, to int64
}

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
	for _, name := range q.names {
	next:
		for _, one := range q.byName[name] {
			for _, m := range matchers {
				if !m.Matches(one.labels.Get(m.Name)) {
					continue next
				}
			}
			all := one.samples
			first := sort.Search(len(all), func(i int) bool { return all[i].T() >= q.from })
			end := sort.Search(len(all), func(i int) bool { return all[i].T() > q.to })
			if first < end {
				found = append(found, storage.NewListSeries(one.labels, all[first:end]))
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return labels.Compare(found[i].Labels(), found[j].Labels()) < 0 })
	return &set{found, -1}
}

func (q querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (q querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (q querier) Close() error { return nil }

type set struct {
	list []storage.Series
	at   int
}

func (s *set) Next() bool                        { s.at++; return s.at < len(s.list) }
func (s *set) At() storage.Series                { return s.list[s.at] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

type float struct {
	at    int64
	value float64
}

func (f float) T() int64                      { return f.at }
func (f float) ST() int64                     { return 0 }
func (f float) F() float64                    { return f.value }
func (f float) H() *histogram.Histogram       { return nil }
func (f float) FH() *histogram.FloatHistogram { return nil }
func (f float) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (f float) Copy() chunks.Sample           { return f }
