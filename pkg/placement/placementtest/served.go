package placementtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/promapi"
)

// Project is the id of the project.
const Project = "p-1"

type object = map[string]any

// Handler serves the lists and the metrics of a world. The metrics are below /v1/projects/{Project}/metrics/timeseries.
func (w *World) Handler(now time.Time) http.Handler {
	now = now.Truncate(time.Minute) // at which the metrics are evaluated
	mux := http.NewServeMux()
	list := func(path string, how Service, items []object) {
		mux.HandleFunc("/v1/"+path, func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "application/json")
			switch how {
			case NotServed:
				out.WriteHeader(http.StatusNotFound)
			case Fails:
				out.WriteHeader(http.StatusForbidden)
			case NotUnderstood:
				items = []object{{"allowance": object{"gpus": 1000}}}
				fallthrough
			default:
				_ = json.NewEncoder(out).Encode(object{"items": items})
			}
		})
	}
	served := func(is bool) Service {
		if is {
			return Served
		}
		return NotServed
	}
	project := "projects/" + Project + "/"
	list("capacities", w.Capacities, w.capacityItems())
	list(project+"quotas", w.QuotaList, w.quotaItems())
	list(project+"compute/vms/types", served(w.HasTypes), w.typeItems())
	list(project+"kubernetes/clusters", served(w.HasClusters), []object{{"id": Cluster, "location": ClusterLocation}})
	api := promapi.New(store(w.series(now)), func() time.Time { return now })
	mux.HandleFunc("/v1/"+project+"metrics/timeseries/api/v1/query", func(out http.ResponseWriter, r *http.Request) {
		if w.Metrics == Fails {
			out.WriteHeader(http.StatusForbidden)
			return
		}
		api.Query(out, r)
	})
	return mux
}

func (w *World) capacityItems() []object {
	items := []object{{"type": "c1a.64x", "location": locations[0], "quantity": 50}, {"type": "disk", "location": locations[0], "quantity": 9}}
	for _, p := range w.Places {
		for _, s := range p.Sizes {
			item := object{"type": s.Name, "location": p.Location, "quantity": p.Free / s.GPUs}
			if !s.IsKnown {
				delete(item, "quantity")
			}
			items = append(items, item)
		}
	}
	return items
}

func (w *World) typeItems() []object {
	items := []object{{"product_name": "c1a.64x", "num_gpu": 0, "gpu_type": ""}}
	for _, p := range w.Places {
		for _, s := range p.Sizes {
			items = append(items, object{"product_name": s.Name, "num_gpu": s.GPUs, "gpu_type": p.Model})
		}
	}
	return items
}

// quotaItems writes the quotas in one of the shapes that APIs of GPU clouds have, among quotas of other things.
func (w *World) quotaItems() []object {
	items := []object{{"name": "storage.bytes", "type": "storage.bytes", "metric": "storage", "limit": 1e15, "used": 0, "unit": "bytes"}}
	for _, q := range w.Quotas {
		limit := q.Left + q.Used
		var item object
		switch w.QuotaShape {
		case 0:
			item = object{"name": "gpus." + q.Type, "limit": limit, "used": q.Used}
			if q.Type == "" {
				item["name"] = "gpus"
			}
		case 1:
			item = object{"type": q.Type, "max": limit, "available": q.Left, "used": q.Used}
			if q.Type == "" {
				item["type"] = "GPU_TOTAL"
			}
		case 2:
			item = object{"metric": "NVIDIA_" + strings.ToUpper(strings.ReplaceAll(q.Type, "-", "_")) + "_GPUS", "limit": limit, "usage": q.Used}
			if q.Type == "" {
				item["metric"] = "GPUS_ALL_REGIONS"
			}
		default:
			item = object{"resource": "gpu:" + q.Type, "limit": fmt.Sprint(limit), "in_use": fmt.Sprint(q.Used)}
		}
		if q.Location != "" {
			item[[]string{"location", "region"}[w.QuotaShape%2]] = q.Location
		}
		if q.OfMachines {
			item["unit"] = "machines"
		}
		items = append(items, item)
	}
	return items
}

// series are constant, from two weeks ago on; those of silent nodes end two hours before now.
func (w *World) series(now time.Time) []storage.Series {
	var all []storage.Series
	add := func(name string, value float64, until time.Time, pairs ...string) {
		var samples []chunks.Sample
		for _, ago := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, 30 * time.Minute, time.Minute, 0} {
			if at := now.Add(-ago); !at.After(until) {
				samples = append(samples, sample{at.UnixMilli(), value})
			}
		}
		all = append(all, storage.NewListSeries(labels.FromStrings(append(pairs, "__name__", name)...), samples))
	}
	managed, idle := 0, 0
	for _, n := range w.Nodes {
		until := now
		if n.Silent {
			until = now.Add(-2 * time.Hour)
		}
		for gpu := range n.GPUs {
			pairs := []string{"cluster_id", Cluster, "nodepool_name", n.Pool, "modelName", n.Model, "vm_name", n.Name, "gpu", fmt.Sprint(gpu), "UUID", fmt.Sprintf("GPU-%s-%d", n.Name, gpu)}
			utilization, memory := 0.0, 0.0
			if gpu < n.Busy {
				utilization, memory = 97, 60000
			} else if n.Holds && gpu == 0 {
				memory = 40000
			}
			add("DCGM_FI_DEV_GPU_UTIL", utilization, until, pairs...)
			add("DCGM_FI_DEV_FB_USED", memory, until, pairs...)
			add("DCGM_FI_DEV_FB_FREE", 80000-memory, until, pairs...)
			if n.Faulty && gpu == 1 {
				add("DCGM_FI_DEV_ROW_REMAP_FAILURE", 1, until, pairs...)
			}
		}
		if n.Slurm {
			managed++
			if n.IsIdle {
				idle++
			}
			pairs := []string{"cluster_id", "slurm-1", "node", n.Name}
			if w.HasStates {
				pairs = append(pairs, "state", map[bool]string{true: "IDLE", false: "drained"}[n.IsIdle])
			}
			add("acme_slurm_node_cpus", 96, now, pairs...)
		}
	}
	for i := range w.CPUNodes {
		add("acme_slurm_node_cpus", 64, now, "cluster_id", "slurm-1", "node", fmt.Sprintf("cpu-%d", i))
	}
	if managed > 0 {
		add("acme_slurm_nodes_idle", float64(idle+w.CPUNodes), now, "cluster_id", "slurm-1")
		add("acme_slurm_nodes_drain", float64(managed-idle), now, "cluster_id", "slurm-1")
	}
	return all
}

// store is a storage of series.
type store []storage.Series

func (s store) Querier(int64, int64) (storage.Querier, error) { return querier{s}, nil }

type querier struct{ store }

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	set := &seriesSet{}
	for _, one := range q.store {
		matches := true
		for _, m := range matchers {
			matches = matches && m.Matches(one.Labels().Get(m.Name))
		}
		if matches {
			set.left = append(set.left, one)
		}
	}
	return set
}

func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) Close() error { return nil }

type seriesSet struct {
	at   storage.Series
	left []storage.Series
}

func (s *seriesSet) Next() bool {
	if len(s.left) == 0 {
		return false
	}
	s.at, s.left = s.left[0], s.left[1:]
	return true
}
func (s *seriesSet) At() storage.Series                { return s.at }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }

// sample is a float at a time.
type sample struct {
	t int64
	f float64
}

func (s sample) T() int64                      { return s.t }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.f }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }
