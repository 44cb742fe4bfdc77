package placement

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// pool are the nodes of the project that are scheduled together, with one model of GPU.
type pool struct {
	cluster, nodePool, model string
	// location is that of the cluster, or "" if it is not known.
	location string
	// gpus is the number of GPUs that report, on all nodes, and smallest that of the node with the fewest.
	gpus, smallest float64
	// idle are the nodes whose GPUs are all free, without those that can't be had: faulty ones, and those that Slurm says to be
	// out of service, or busy.
	idle, faulty, out, busy []node
	// drained is the number of idle nodes that may be out of service by Slurm, taken that of those that may have a job.
	drained, taken int
	// silent is the number of nodes that reported half an hour ago, and don't now.
	silent int
	// hasRollups is true if the platform records metrics of its nodes over their GPUs.
	hasRollups bool
}

// node is a node of which nothing uses a GPU.
type node struct {
	name string
	gpus float64
}

// Labels of GPU metrics: what tells nodes apart, and what pools. The host is in the first that a platform has.
const (
	poolLabels = "cluster_id, nodepool_name, modelName"
	nodeLabels = poolLabels + ", vm_name, instance, Hostname, hostname"
)

// A GPU is free if no kernel ran on it for five minutes and its memory is empty but for what the driver takes, which is below
// 1 % of 80 GB. Metrics are under the names before and since DCGM 4.6; windows take them one by one, because functions drop names.
const (
	freeMemory   = 0.02
	utilization  = `(max_over_time(DCGM_FI_DEV_GPU_UTIL[5m]) or max_over_time(DCGM_FI_DEV_GPU_UTIL_RATIO[5m]))`
	memoryInUse  = `(DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE))`
	anyGPU       = `{__name__=~"DCGM_FI_DEV_GPU_UTIL|DCGM_FI_DEV_GPU_UTIL_RATIO"}`
	memoryRollup = `{__name__=~".+_node:node_gpu_memory_utilization:ratio_avg_1m"}`
	remapFailed  = `{__name__=~"DCGM_FI_DEV_ROW_REMAP_FAILURE|DCGM_FI_DEV_ROW_REMAP_FAILED"}`
)

// idleExpr is the number of GPUs of each node whose GPUs are all free.
var idleExpr = fmt.Sprintf(`(count by (%[1]s) (%[2]s == 0 and %[3]s < %[4]g) == count by (%[1]s) (%[2]s))`,
	nodeLabels, utilization, memoryInUse, freeMemory)

// nodesExpr has all that is asked of the metrics in one query, each part under a label.
var nodesExpr = strings.Join([]string{
	part("idle", idleExpr),
	part("gpus", fmt.Sprintf(`count by (%s) (%s)`, nodeLabels, utilization)),
	part("memory", fmt.Sprintf(`count(%s)`, memoryInUse)),
	part("rollup", fmt.Sprintf(`count by (cluster_id, nodepool_name) (%s)`, memoryRollup)),
	part("faulty", fmt.Sprintf(`count by (%s) (%s > 0)`, nodeLabels, remapFailed)),
	part("silent", fmt.Sprintf(`(count by (%[1]s) (%[2]s offset 30m) unless count by (%[1]s) (%[3]s))`, nodeLabels, anyGPU, utilization)),
	part("gone", fmt.Sprintf(`((count by (%[1]s) (%[2]s offset 1d) or count by (%[1]s) (%[2]s offset 7d)) unless count by (%[1]s) (%[3]s))`, nodeLabels, anyGPU, utilization)),
	`label_replace({__name__=~".+_slurm_(nodes_idle|nodes_drain|nodes_down|node_cpus)"}, "part", "$1", "__name__", ".+_slurm_(.+)")`,
}, " or ")

func part(name, expr string) string {
	return fmt.Sprintf(`label_replace(%s, "part", %q, "", "")`, expr, name)
}

// idleNodes are the pools of the project with their idle nodes. The metrics of a minute are asked for once.
func (c *Client) idleNodes(ctx context.Context, q *parsedQuery, notices *query.Notices) ([]*pool, error) {
	result, err := c.Metrics.Instant(ctx, nodesExpr, q.now.Truncate(time.Minute))
	if err != nil {
		return nil, err
	}
	for _, text := range result.Warnings {
		notices.Warn("%s", text)
	}
	m := newNodeMetrics(result.Frames)
	if len(m.pools) > 0 && !m.hasMemory {
		notices.Warn("The metrics DCGM_FI_DEV_FB_USED and DCGM_FI_DEV_FB_FREE are missing, so idle nodes can't be distinguished from those that a job holds. They are not considered.")
		return nil, nil
	}
	if m.slurm.isUnmatched() {
		notices.Info("The nodes of Slurm can't be matched with those of GPU metrics, so idle nodes can be drained or reserved.")
	}
	return m.sorted(), nil
}

// poolKey tells pools apart.
type poolKey struct{ cluster, nodePool, model string }

// nodeMetrics are the results of nodesExpr.
type nodeMetrics struct {
	pools     map[poolKey]*pool
	hasMemory bool
	slurm     slurm
}

func newNodeMetrics(frames data.Frames) *nodeMetrics {
	m := &nodeMetrics{pools: map[poolKey]*pool{}, slurm: newSlurm()}
	faulty, notIdle, rolledUp := map[string]bool{}, map[string]bool{}, map[poolKey]bool{}
	for _, frame := range frames {
		labels, value, ok := sample(frame)
		if !ok {
			continue
		}
		switch labels["part"] {
		case "gpus":
			p := m.pool(labels)
			p.gpus += value
			if p.smallest == 0 || value < p.smallest {
				p.smallest = value
			}
			notIdle[host(labels)] = true
		case "idle":
			p := m.pool(labels)
			p.idle = append(p.idle, node{host(labels), value})
		case "silent":
			m.pool(labels).silent++
			notIdle[host(labels)] = true
		case "gone":
			notIdle[host(labels)] = true
		case "faulty":
			faulty[host(labels)] = true
		case "memory":
			m.hasMemory = value > 0
		case "rollup":
			rolledUp[poolKey{cluster: labels["cluster_id"], nodePool: labels["nodepool_name"]}] = true
		default:
			m.slurm.add(labels["part"], labels, value)
		}
	}
	for key, p := range m.pools {
		p.hasRollups = rolledUp[poolKey{cluster: key.cluster, nodePool: key.nodePool}]
		for _, n := range p.idle {
			delete(notIdle, n.name)
		}
		p.faulty = slices.DeleteFunc(slices.Clone(p.idle), func(n node) bool { return !faulty[n.name] })
		p.idle = slices.DeleteFunc(p.idle, func(n node) bool { return faulty[n.name] })
	}
	m.slurm.reserve(m.sorted(), notIdle)
	return m
}

func (m *nodeMetrics) pool(labels data.Labels) *pool {
	key := poolKey{labels["cluster_id"], labels["nodepool_name"], labels["modelName"]}
	if m.pools[key] == nil {
		m.pools[key] = &pool{cluster: key.cluster, nodePool: key.nodePool, model: key.model}
	}
	return m.pools[key]
}

func (m *nodeMetrics) sorted() []*pool {
	var pools []*pool
	for _, p := range m.pools {
		pools = append(pools, p)
	}
	slices.SortFunc(pools, func(a, b *pool) int {
		return cmp.Or(strings.Compare(a.cluster, b.cluster), strings.Compare(a.nodePool, b.nodePool), strings.Compare(a.model, b.model))
	})
	return pools
}

// usable are the idle nodes that can be had. Where Slurm only says how many can't, they are taken to be the largest.
func (p *pool) usable() []node {
	nodes := slices.Clone(p.idle)
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(a.gpus, b.gpus), strings.Compare(a.name, b.name)) })
	return nodes[:max(0, len(nodes)-p.drained-p.taken)]
}

// name is the pool as people call it.
func (p *pool) name() string {
	return strings.Join(slices.DeleteFunc([]string{p.cluster, p.nodePool}, func(part string) bool { return part == "" }), " / ")
}

// sample is a number of a vector. Numbers that are not finite are none.
func sample(frame *data.Frame) (data.Labels, float64, bool) {
	if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 || frame.Rows() != 1 {
		return nil, 0, false
	}
	value := frame.Fields[1].At(0).(float64)
	return frame.Fields[1].Labels, value, !math.IsNaN(value) && !math.IsInf(value, 0)
}

func host(labels data.Labels) string {
	return cmp.Or(labels["vm_name"], labels["instance"], labels["Hostname"], labels["hostname"])
}
