// Whose a GPU is, by the labels that say so. Nothing is concluded from where no label does.
import { HOST_LABELS } from './host.ts';
import { anywhere, copied, withLabel } from './promql.ts';

/** Series of GPUs and of jobs. */
export interface Allocation {
  select: (metric: string, ...more: string[]) => string;
  /** The same where jobs of nodes are known, nothing elsewhere. Without it, {@link select}. */
  withJobs?: (metric: string, ...more: string[]) => string;
  /** Of whole clusters, if some nodes of these are chosen. */
  ofCluster: (metric: string, ...more: string[]) => string;
  /** What schedulers say of these, and of no cluster. */
  ofSchedulers: (metric: string, ...more: string[]) => string;
  /** The label of the cluster and a comma, or another that nothing has where a scheduler's series have no cluster: then the names of nodes and jobs alone join them. */
  within: string;
  /** A metric with the labels that say whose a GPU is, or several of which each GPU has one with these. */
  labels: string;
  /** What tells teams apart beside their namespace or user: {@link POD}, or a label that nothing has. */
  ofTeam?: string;
  /** The labels that name a node, the best first, and those that identify one. A GPU whose other labels change counts once. */
  hosts: readonly string[];
  node: string;
  /** Gives the series of GPUs the label that names a node. */
  named: (expr: string) => string;
  /** Two to three samples. The rate of a counter needs two, one scrape may be missed, and a longer window blurs what ends. */
  window: string;
  /** A sample, with what scrapes are late by. Series that have none ended, if the GPU has others. */
  recent: string;
  /** The same of a scheduler, which may be scraped less often than GPUs: once a minute. */
  reported: string;
  /** What makes a sample stand for the time around it where that matters: `offset` of PromQL, or nothing. */
  offset: string;
}

/** Every GPU has one of these: with MIG no utilization, and some platforms have nothing else. */
export const EVERY_GPU = 'DCGM_FI_DEV_FB_USED|DCGM_FI_DEV_GPU_UTIL';

/** Matches the series of one GPU of each node, or all of one whose exporter does not say which is which. */
export const FIRST_GPU = 'gpu=~"(.*0)?"';

/** Matches two, one of which may be gone: to know of a node what all of its GPUs have in common, as good as all. */
export const TWO_GPUS = 'gpu!~".*[2-9]"';

/** Whose a GPU is: a namespace or a user. */
export const TEAM = 'team';

/** The label by which the names of pods are compared with those of nodes of Slurm. */
export const POD = 'w';

/** The exporter's own pod, as IsExporter of pkg/gpulabels has them. */
const OF_EXPORTER = '.*(dcgm|exporter).*';
export const NOT_OF_EXPORTER = ['pod!=""', 'exported_pod=""', `pod!~"${OF_EXPORTER}"`];

/** Matchers of series with a label that says whose a GPU is. */
export const OWNED = [['exported_pod!=""'], NOT_OF_EXPORTER, ['hpc_job!=""']];

/**
 * How long a job of Prometheus is known for to have the pods of GPUs as `exported_pod`, and a cluster to have pods for nodes of Slurm: all of its GPUs
 * may be free for a while, and the exporter of Slurm be missing.
 */
const KNOWN_FOR = '6h';

/** GPUs with labels, by the samples of one scrape: what a job leaves behind does not count. */
const labeled = ({ select, labels, recent, offset }: Allocation, ...matchers: string[]): string =>
  `last_over_time(${select(labels, ...matchers)}[${recent}]${offset})`;

/**
 * GPUs with their pods, from the labels that the exporter gives them. A scrape without `honor_labels` renames these, and `pod` is then the
 * exporter's own, in all that this job of Prometheus scrapes: https://github.com/NVIDIA/dcgm-exporter/issues/85. Only the names of NVIDIA's own
 * pods tell it where that has none of the others.
 */
function pods(of: Allocation): string {
  const renamed = copied(labeled(of, 'exported_pod!=""'), POD, 'exported_pod');
  const own = copied(labeled(of, ...NOT_OF_EXPORTER), POD, 'pod');
  const isRenamed = `last_over_time(${of.ofCluster(of.labels, 'exported_pod!=""')}[${KNOWN_FOR}])`;
  return `(${renamed} or ${own} unless on (cluster_id, job) ${isRenamed})`;
}

/** Nodes of Slurm, from the exporter of https://github.com/nebius/soperator. Its workers are pods of the same name, which own nothing. */
const workers = ({ ofSchedulers }: Allocation): string =>
  copied(`last_over_time(${ofSchedulers('slurm_node_info')}[${KNOWN_FOR}])`, POD, 'node_name');

const ofPods = (of: Allocation): string => `(${pods(of)} unless on (${of.within}${POD}) ${workers(of)})`;

const ofJobFiles = (of: Allocation): string => labeled(of, 'hpc_job!=""');

/** An address, or the first label of a DNS name: ShortHostPattern of pkg/gpulabels. Schedulers and exporters may have either form. */
export const SHORT = String.raw`([0-9.]+|[^.:;]+)([.:;].*)?`;

/** A name of a node, short, as jobs have it: that of the machine, or of the pod that is a node of Slurm. */
export const PLACE = 'at';

/** GPUs that matchers choose, of nodes that may have jobs. */
const ofNodes = (of: Allocation, ...matchers: string[]): string =>
  labeled({ ...of, select: of.withJobs ?? of.select }, ...matchers);

/** The first of some labels for the name of the node, short. */
export const placed = (expr: string, ...labels: readonly string[]): string =>
  copied(`label_join(${expr},"${PLACE}",";",${labels.map((label) => `"${label}"`)})`, PLACE, PLACE, `;*${SHORT}`);

/** GPUs with the name that the exporter gives, if any, which may be another than the machine's. */
const onHostnames = (of: Allocation, ...matchers: string[]): string =>
  placed(ofNodes(of, ...matchers), ...HOST_LABELS.slice(1, -1), of.hosts[0]);

/** GPUs with the names of their pods for that of their node. */
const withPods = (gpus: string): string => copied(copied(gpus, PLACE, 'pod'), PLACE, 'exported_pod');

/** Nodes with each of their names. */
const places = (of: Allocation): string => {
  const gpus = [
    placed(ofNodes(of, TWO_GPUS), ...of.hosts),
    onHostnames(of, TWO_GPUS),
    withPods(ofNodes(of, TWO_GPUS)),
  ].join(' or ');
  return `group by (${of.node}, ${PLACE}) (${of.named(`(${gpus})`)})`;
};

/** The newest samples of a scheduler's metric. */
const fromScheduler = ({ ofSchedulers, reported, offset }: Allocation, metric: string, ...more: string[]): string =>
  `last_over_time(${ofSchedulers(metric, ...more)}[${reported}]${offset})`;

/** With the name of the node, as {@link PLACE}. */
const byNode = (series: string): string => copied(series, PLACE, 'node_name', SHORT);

/** What a scheduler calls a node. */
const placeOf = ({ within }: Pick<Allocation, 'within'>): string => `${within}${PLACE}`;
export const IN_CLUSTER = placeOf({ within: 'cluster_id, ' });

const OF_NODE = 'cluster_id, node_name';

/**
 * Nodes that Slurm has given out in part: some CPUs are left, whether there are GPUs or not. Where these are given in proportion, a job of half of the
 * GPUs has half of the CPUs at most. Source: `_set_node_mixed` in src/api/node_info.c of https://github.com/SchedMD/slurm
 */
const inPart = (of: Allocation): string =>
  `(${fromScheduler(of, 'slurm_node_info', 'state_base=~"(?i)mixed"')} unless on (${OF_NODE}) ${of.ofSchedulers('slurm_node_cpus_allocated')} > ${of.ofSchedulers('slurm_node_cpus_idle')})`;

/**
 * 1 for each node that one job has as a whole, and with it all GPUs: of others it is not known which GPUs each job has. Where the exporter of GPUs
 * says it, the others are not theirs.
 */
const onlyJob = (of: Allocation): string => {
  const jobs = byNode(`${fromScheduler(of, 'slurm_node_job')} unless on (${OF_NODE}) ${inPart(of)}`);
  const place = placeOf(of);
  return `(count by (${place}) (group by (${place}, job_id) (${jobs})) == 1 unless on (${place}) ${onHostnames(of, 'hpc_job!=""')})`;
};

/** The labels that tell the series of Slurm's jobs apart. */
export const JOB_LABELS = ['cluster_id', 'job_id', 'hpc_job'];

/** Series of Slurm's jobs: of their nodes, or in clusters without any node of a job of the GPUs that the exporter says are theirs. */
export const jobSeries = (ofNodes: string, gpus: string, anyNode = ofNodes): string =>
  `${ofNodes} or group by (cluster_id, hpc_job) (${gpus}) unless on (cluster_id) ${anyNode}`;

/** The same of all clusters. */
export const ALL_JOBS = jobSeries('slurm_node_job', anywhere('DCGM_FI_DEV_FB_USED', 'hpc_job!=""'));

/**
 * Nodes that get no job, by the newest samples of metrics: those that are drained or in maintenance in Slurm, by soperator's exporter or by what sinfo
 * prints, which https://github.com/vpenso/prometheus-slurm-exporter has as a label; and those that are cordoned in Kubernetes.
 */
export const withoutJobs = (newest: (metric: string, ...more: string[]) => string): string => {
  const others = newest('kube_node_spec_unschedulable|slurm_node_cpu_total', 'status=~"|drain.+"');
  const states = ['drain', 'maintenance'].map((state) => newest('slurm_node_info', `state_is_${state}="true"`));
  return placed(`(${[...states, others].join(' or ')} > 0)`, 'node_name', 'node');
};

/** Nodes with what their scheduler says of them, by the labels given. */
const scheduled = (of: Allocation, said: string, ...labels: string[]): string =>
  `min by (${[of.node, ...labels].join(', ')}) (${places(of)} * on (${placeOf(of)}) group_left (${labels}) (${said}))`;

/** GPUs that a label says are allocated: of a pod, which is the label {@link POD} then, or of a job of Slurm. */
export const owned = (of: Allocation): string => of.named(`(${ofPods(of)} or ${ofJobFiles(of)})`);

/** 1 for each of them. */
export const allocated = (of: Allocation): string => `group by (${of.node}, gpu) (${owned(of)})`;

/** A number for each node by what its scheduler says of it: that one job has it, or it is drained, or reserved for somebody, as far as they are given. */
export const ofScheduler = (of: Allocation, numbers: { held?: number; drained?: number }): string => {
  const drained = withoutJobs((metric, ...more) => fromScheduler(of, metric, ...more));
  // Those that are drained are not held by who reserves them, as for maintenance: they have their number before, or are left out.
  const inService = ['maintenance', 'drain'].map((state) => `state_is_${state}!="true"`);
  const isHeld = ['state_is_reserved="true"', ...(numbers.drained ? [] : inService)];
  const reserved = byNode(fromScheduler(of, 'slurm_node_info', ...isHeld));
  const numbered = (number: number | undefined, nodes: string) => (number ? [`${number} * ${nodes}`] : []);
  return scheduled(
    of,
    [
      ...numbered(numbers.held, onlyJob(of)),
      ...numbered(numbers.drained, `group by (${placeOf(of)}) (${drained})`),
      ...numbered(numbers.held, `group by (${placeOf(of)}) (${reserved})`),
    ].join(' or ')
  );
};

/**
 * Series of jobs with the user of each, as far as it is known: by soperator, or by https://github.com/guilbaults/slurm-job-exporter. The labels
 * `key` tell the series apart: VictoriaMetrics fills the gaps of a series with any on the other side of `or` that has the same of them, such as the
 * time on another node.
 */
function ofUsers(of: Allocation, series: string, key: string): string {
  const last = (metric: string) => `last_over_time(${of.ofSchedulers(metric)}[${of.window}])`;
  const onNodes = copied(copied(last('slurm_job_memory_usage'), 'job_id', 'slurmjobid'), 'user_name', 'user');
  const job = `${of.within}job_id`;
  const infos = `(${[last('slurm_job_info'), onNodes].map((jobs) => `max by (${job}, user_name) (${jobs})`).join(` or on (${job}) `)})`;
  const unknown = withLabel(series, 'user_name', 'not known');
  const known = `${series} * on (${job}) group_left (user_name) ${infos} or on (${key}) ${unknown}`;
  return inTeams(of, copied(`(${known})`, TEAM, 'user_name', '(.*)'));
}

/**
 * What Kubernetes adds to the name of a workload for its pods: of letters that make no words, or a number.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/util/rand/rand.go
 */
const RANDOM = '[2-9b-df-hj-np-tv-xz]';
const END_OF_POD = `(-${RANDOM}{6,10})?-(${RANDOM}{5}|[0-9]+)`;

/** Series whose label {@link TEAM} is a namespace or a user, with the workload or the job as well, if these are shown apart. */
function inTeams({ ofTeam }: Allocation, expr: string): string {
  const named = copied(copied(expr, POD, POD, `(.+?)${END_OF_POD}`), POD, 'job_id');
  return ofTeam ? copied(`label_join(${named},"${TEAM}","/","${TEAM}","${ofTeam}")`, TEAM, TEAM, '(.+?)/?') : expr;
}

/**
 * 1 for each GPU that is allocated and each team that has it: by the labels of each, else by the job that has its node.
 * @param gpus 1 for each GPU
 */
export function owners(of: Allocation, gpus: string): string {
  const gpu = `${of.node}, gpu`;
  const ofTeams = of.named(inTeams(of, copied(copied(ofPods(of), TEAM, 'namespace'), TEAM, 'exported_namespace')));
  const files = `group by (${gpu}, job_id) (${copied(of.named(ofJobFiles(of)), 'job_id', 'hpc_job')})`;
  const byLabel = `group by (${gpu}, ${TEAM}) (${ofTeams} or ${ofUsers(of, files, `${gpu}, job_id`)})`;
  const place = placeOf(of);
  const users = `group by (${place}, ${TEAM}) (${ofUsers(of, byNode(fromScheduler(of, 'slurm_node_job')), 'cluster_id, job_id, node_name')})`;
  const nodes = scheduled(of, `${users} and on (${place}) ${onlyJob(of)}`, TEAM);
  // Two names of a node may be those of two nodes of Slurm.
  const bySlurm = `${gpus} * on (${of.node}) group_left (${TEAM}) topk by (${of.node}) (1, ${nodes})`;
  // Not `or on`, with which VictoriaMetrics gives a GPU to those whose it was before, too.
  return `(${byLabel} or ${bySlurm} unless on (${gpu}) ${allocated(of)})`;
}
