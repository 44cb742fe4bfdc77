package placement

import (
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// Labels of GPU metrics. Series that are unnamed have their instance only.
var (
	poolLabels = "cluster_id, nodepool_name, modelName"
	hostLabels = strings.Join(gpulabels.NodeLabels(), ", ")
	unnamed    = strings.Join(gpulabels.NodeLabels(), `="",`) + `=""`
)

// A GPU is free if no kernel ran on it for idleFor and its memory is as empty as that of the emptiest GPU of its node.
const (
	idleFor = 5 * time.Minute
	// reservedMiB is how much more memory a free GPU may have in use than the least of all GPUs of its node over six hours: drivers
	// reserve some, by model and version. A process that does nothing holds more, 400 MiB for CUDA alone.
	reservedMiB = 300
	// heldMiB is in use on no free GPU, whatever the least is: all GPUs of a node may be held for six hours.
	heldMiB = 1024
)

// Metrics of the use of GPUs, under the names before and since DCGM 4.6. All GPUs have their memory, and GPUs that are split by MIG
// no utilization, so that they are never free.
const (
	utilization      = "DCGM_FI_DEV_GPU_UTIL"
	utilizationRatio = "DCGM_FI_DEV_GPU_UTIL_RATIO"
	memoryUsed       = "DCGM_FI_DEV_FB_USED"
	owned            = `__name__=~"DCGM_FI_DEV_(FB_USED|GPU_UTIL|GPU_UTIL_RATIO)"` // some have labels of pods on one of them alone
	remapFailure     = `__name__=~"DCGM_FI_DEV_ROW_REMAP_FAILURE|DCGM_FI_DEV_ROW_REMAP_FAILED"`
	oldXIDErrors     = "DCGM_FI_DEV_XID_ERRORS"
	newXIDErrors     = "DCGM_FI_DEV_XID_ERROR"
	xidErrors        = `__name__=~"` + oldXIDErrors + "|" + newXIDErrors + `"`
)

// earlier are the times before now with which the GPUs of a node are compared, multiples of the first: one that was there has fallen off the bus.
var earlier = []time.Duration{30 * time.Minute, 6 * time.Hour, 24 * time.Hour}

// nodesQueries have all that is requested of the metrics at a time, each part under a label. Codes have a query of their own, because engines bound its
// length, and earlier times a range, because to read a metric of a large fleet takes as long at one time as at a few.
func nodesQueries(interval time.Duration, at time.Time) []promql.Query {
	all := gpuExpr{node: poolLabels + ", " + hostLabels, counts: max(promql.LookbackDelta, missedScrapes*interval)}
	others := gpuExpr{poolLabels + ", " + model.InstanceLabel, unnamed, all.counts}
	newest := func(selector string) string { return all.newest(selector, "") }
	now := strings.Join(append(append(all.parts(), others.parts()...),
		part("unnumbered", "count("+newest(memoryUsed+`{gpu="",UUID=""}`)+")"),
		part("any", "count("+newest(`{`+owned+`,gpu=~"(.*0)?"}`)+")"),
		// What Slurm's exporters say of nodes.
		`label_replace(`+newest(`{__name__=~"(.+_)?slurm_(nodes_idle|node_cpus|node_cpu_total|node_info|node_job)"}`)+`, "`+partLabel+`", "$1", "__name__", "(?:.+_)?slurm_(.+)")`,
		// What kube-state-metrics says: which pods have GPUs, of whatever name where these are shared, and which nodes get no pods.
		// A scrape without honor_labels has a pod and its namespace under exported_pod and exported_namespace.
		part("pod", `group by (cluster_id, node, pod, exported_pod) (`+newest(`kube_pod_container_resource_requests{resource=~"nvidia_com_(gpu|mig)(_.+)?|amd_com_gpu"}`)+` > 0 unless on (cluster_id, namespace, pod, exported_namespace, exported_pod) (`+newest(`kube_pod_status_phase{phase=~"Succeeded|Failed"}`)+` == 1))`),
		part("out", `group by (cluster_id, node) (`+newest("kube_node_spec_unschedulable")+` == 1 or `+newest(`kube_node_status_condition{condition="Ready",status="true"}`)+` == 0)`),
	), " or ")
	codes := part("faulty", all.count(all.broken())) + " or " + part("faulty", others.count(others.broken()))
	return []promql.Query{promql.New(now).At(at), promql.New(codes).At(at), promql.New(all.reported()+" or "+others.reported()).Over(at.Add(-earlier[len(earlier)-1]), at, earlier[0])}
}

// gpuExpr writes expressions about the GPUs of nodes that have the labels node, of series with matchers. A sample counts for some time.
type gpuExpr struct {
	node, matchers string
	counts         time.Duration
}

// parts are the parts about GPUs, by node.
func (g gpuExpr) parts() []string {
	return []string{
		part("gpus", g.count(g.memory(""))),
		part("oldest", fmt.Sprintf("min by (%s) (%s)", g.node, g.each(g.times(g.of(memoryUsed))))),
		g.taken(),
		part("faulty", g.count(g.each(g.newest(g.of(remapFailure), "")+" > 0"))),
		part("owner", fmt.Sprintf("count by (%s, job, pod, exported_pod, %s) (%s)", g.node, gpulabels.Job, g.labeled())),
	}
}

// reported are the GPUs with samples at a time, also where an engine lets those of a range count for all of a step.
func (g gpuExpr) reported() string {
	return part("earlier", g.count(g.each(fmt.Sprintf("last_over_time(%s[%s])", g.of(memoryUsed), duration(g.counts)))))
}

// of selects a metric by its name, or metrics by a matcher of names.
func (g gpuExpr) of(metric string) string {
	name, matchers := metric, g.matchers
	if strings.HasPrefix(metric, "__name__") {
		name, matchers = "", strings.Trim(metric+","+g.matchers, ",")
	}
	return name + "{" + matchers + "}"
}

// newest are the samples that count. Where engines let them count for long enough, those of series that have ended don't.
func (g gpuExpr) newest(selector, offset string) string {
	if g.counts == promql.LookbackDelta {
		return selector + offset
	}
	return fmt.Sprintf("last_over_time(%s[%s]%s)", selector, duration(g.counts), offset)
}

// times are those of the newest samples that count.
func (g gpuExpr) times(selector string) string {
	if g.counts == promql.LookbackDelta {
		return "timestamp(" + selector + ")"
	}
	return fmt.Sprintf("max_over_time(timestamp(%s)[%s:1m])", selector, duration(g.counts))
}

// each has a value for each GPU, whatever its other labels are.
func (g gpuExpr) each(expr string) string {
	return fmt.Sprintf("max by (%s, gpu, UUID) (%s)", g.node, expr)
}

// memory is the memory in use of each GPU.
func (g gpuExpr) memory(offset string) string { return g.each(g.newest(g.of(memoryUsed), offset)) }

// labeled are the GPUs of which a label says that a pod or a job has them. The label pod may be the exporter's own.
func (g gpuExpr) labeled() string {
	var all []string
	for _, matchers := range []string{`exported_pod!=""`, `exported_pod="",pod!="",pod!~".*(dcgm|exporter).*"`, gpulabels.Job + `!=""`} {
		all = append(all, g.newest(g.of(owned+","+matchers), ""))
	}
	return strings.Join(all, " or ")
}

// taken are the parts about GPUs of which nothing but a label may say that somebody has them: on those that are not idle a kernel ran, or a process has memory.
func (g gpuExpr) taken() string {
	unused := g.use(max(idleFor, g.counts)) + " == 0"
	idle, labeled := fmt.Sprintf("%s and (%s)", g.empty(), g.few(unused)), fmt.Sprintf("(%s) * (%s and %s)", g.few(g.each(g.labeled())), g.empty(), unused)
	return part("idle", "-"+g.count(idle)) + " or " + part("labeled", g.count(labeled))
}

// empty are the GPUs of whose memory no process has any: compared with the least of all GPUs of the node in six hours under the same driver, whose
// version the exporter's default counters have as a label.
func (g gpuExpr) empty() string {
	alike := g.node + ", DCGM_FI_DRIVER_VERSION"
	return g.each(fmt.Sprintf("(%s < %d) - on (%s) group_left () min by (%s) (min_over_time(%s[6h])) < %d",
		g.newest(g.of(memoryUsed), ""), heldMiB, alike, alike, g.of(memoryUsed), reservedMiB))
}

// count is the number of GPUs of each node.
func (g gpuExpr) count(expr string) string { return fmt.Sprintf("count by (%s) (%s)", g.node, expr) }

// use is the highest utilization of each GPU in a time until now. Functions drop names, so the metrics are joined one by one.
func (g gpuExpr) use(window time.Duration) string {
	return g.each(fmt.Sprintf("max_over_time(%s[%s]) or max_over_time(%s[%s])", g.of(utilization), duration(window), g.of(utilizationRatio), duration(window)))
}

// partLabel has the name of the part that a series is of. Exporters have no label of its name.
const partLabel = "part_of_query"

func part(name, expr string) string {
	return fmt.Sprintf(`label_replace(%s, %q, %q, "", "")`, expr, partLabel, name)
}

// duration writes a duration as PromQL does: 5m.
func duration(d time.Duration) string { return model.Duration(d).String() }
