package metrics

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// slurmFamilies are the Slurm scheduler's: queue, nodes and scheduling cycles.
func (w *labelSets) slurmFamilies() []family {
	var partitions, trainingNodes []string
	for pool := scenario.Pretraining; pool < scenario.Serving; pool++ {
		partitions = append(partitions, pool.String())
	}
	for _, n := range w.fleet.Nodes {
		if n.NodePool != scenario.Serving {
			trainingNodes = append(trainingNodes, n.Name)
		}
	}
	byNode := dimensions{w.cluster, enum("node", trainingNodes...)}
	byPartition := dimensions{w.cluster, enum("partition", partitions...)}
	queue := func(read func(q scenario.Queue) int) formula {
		return func(_ *series, m *moment) float64 { return float64(read(w.scenario.Queue(m.t))) }
	}
	return collect(everyMinute, dimensions{w.cluster}, []family{
		{Name: "vendor_slurm_nodes", Type: Gauge, value: constant(float64(len(trainingNodes)))},
		{Name: "vendor_slurm_nodes_alloc", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Allocated })},
		{Name: "vendor_slurm_nodes_idle", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Idle })},
		{Name: "vendor_slurm_nodes_mixed", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Mixed })},
		{Name: "vendor_slurm_nodes_down", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Down })},
		{Name: "vendor_slurm_nodes_drain", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Drained })},
		{Name: "vendor_slurm_jobs_pending", Type: Gauge, value: queue(waiting)},
		{Name: "vendor_slurm_jobs_running", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Running })},
		{Name: "vendor_slurm_jobs_failed", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.Failed })},
		{Name: "vendor_slurm_jobs_outofmemory", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.OutOfMemory })},
		{Name: "vendor_slurm_jobs_timeout", Type: Gauge, value: queue(func(q scenario.Queue) int { return q.TimedOut })},
		{Name: "vendor_slurm_node_cpus", Type: Gauge, dimensions: byNode, value: constant(processors)},
		{Name: "vendor_slurm_partition_jobs_pending", Type: Gauge, dimensions: byPartition, value: func(s *series, m *moment) float64 {
			return float64(w.scenario.Queue(m.t).Pending[s.position])
		}},
		{Name: "vendor_slurm_sched_mean_cycle", Type: Gauge, value: cycle(0.1)},
		{Name: "vendor_slurm_schedule_cycle_last", Type: Gauge, value: cycle(0.6)},
		{Name: "vendor_slurm_bf_depth_mean", Type: Gauge, value: func(s *series, m *moment) float64 {
			return math.Round(0.8 * float64(waiting(w.scenario.Queue(m.t))))
		}},
	})
}

func waiting(q scenario.Queue) int {
	n := 0
	for _, pending := range q.Pending {
		n += pending
	}
	return n
}

// cycle is the time the scheduler takes: longer when more jobs wait.
func cycle(width float64) formula {
	return func(s *series, m *moment) float64 {
		return math.Round((900 + 170*float64(waiting(s.labelSets.scenario.Queue(m.t)))) * (1 + width*m.noise(s, powerNoise)))
	}
}
