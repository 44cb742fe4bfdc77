// Whose a GPU is, by the labels that say so. Nothing is concluded from where no label does.

/** Series of GPUs and of jobs. */
interface Allocation {
  select: (metric: string, ...more: string[]) => string;
  ofCluster: (metric: string, ...more: string[]) => string;
  host: string;
  node: string;
  named: (expr: string) => string;
  window: string;
}

/** Every GPU has it, with MIG as well. */
const METRIC = 'DCGM_FI_DEV_FB_USED';

/**
 * Labels that the exporter gives to GPUs: those of pods, and `hpc_job` from a folder of job files. A scrape without `honor_labels`
 * renames those of pods, and `pod` is then the exporter's own: https://github.com/NVIDIA/dcgm-exporter/issues/85.
 */
export const NOT_OF_EXPORTER = [
  'pod!=""',
  'exported_pod=""',
  'pod!~".*(dcgm|exporter).*"',
  'container!~".*(dcgm|exporter).*"',
];
const OF_PODS = [['exported_pod!=""'], NOT_OF_EXPORTER];
const OF_JOB_FILES = ['hpc_job!=""'];

const labeled = ({ select, named, window }: Allocation, matchers: string[]): string =>
  named(`last_over_time(${select(METRIC, ...matchers)}[${window}])`);

/** Jobs of Slurm by node, from the exporter of https://github.com/nebius/soperator. */
const jobs = ({ ofCluster, host, window }: Allocation, ...matchers: string[]): string =>
  `label_replace(last_over_time(${ofCluster('slurm_node_job', ...matchers)}[${window}]), "${host}", "$1", "node_name", "(.+)")`;

/**
 * GPUs with what is known of the one job of their node, which has all its GPUs: of several jobs it is not known which GPUs each has.
 * Series of jobs without a cluster are joined by the name of the node alone, where one cluster has a node of that name.
 */
function withOnlyJob(
  of: Allocation,
  join: (gpus: string, labels: string, jobs: string) => string,
  known: (labels: string, matcher: string) => string = () => ''
): string {
  const { host, node } = of;
  const gpus = labeled(of, []);
  const one = (labels: string, matcher: string) =>
    `${known(labels, matcher)} count by (${labels}) (group by (${labels}, job_id) (${jobs(of, matcher)})) == 1`;
  const namesake = `count by (${host}) (group by (${node}) (${gpus})) > 1`;
  const inCluster = `cluster_id, ${host}`;
  return [
    `(${join(gpus, inCluster, `(${one(inCluster, 'cluster_id!=""')})`)})`,
    `(${join(gpus, host, `(${one(host, 'cluster_id=""')} unless on (${host}) ${namesake})`)})`,
  ].join(' or ');
}

/** 1 for each GPU that is allocated. */
export function allocated(of: Allocation): string {
  const byLabel = [...OF_PODS, OF_JOB_FILES].map((matchers) => labeled(of, matchers)).join(' or ');
  const byJob = withOnlyJob(of, (gpus, labels, found) => `${gpus} and on (${labels}) ${found}`);
  return `group by (${of.node}, gpu) (${byLabel} or ${byJob})`;
}

/** Whose a GPU is, as labels: a namespace or a user, and a pod or a job. Empty where no label says it. */
export const OWNER = ['team', 'workload'];
const BY_OWNER = OWNER.join(', ');

/** 1 for each GPU that is allocated and each of its owners. */
export function owners(of: Allocation): string {
  const gpu = `${of.node}, gpu`;
  const [team, workload] = OWNER;
  const copied = (expr: string, to: string, from: string) => `label_replace(${expr}, "${to}", "$1", "${from}", "(.+)")`;
  const ofPods = OF_PODS.map((matchers, i) => {
    const renamed = i === 0 ? 'exported_' : '';
    return copied(copied(labeled(of, matchers), team, `${renamed}namespace`), workload, `${renamed}pod`);
  });
  const ofFiles = copied(labeled(of, OF_JOB_FILES), workload, 'hpc_job');
  const users = `max by (cluster_id, job_id, user_name) (last_over_time(${of.ofCluster('slurm_job_info')}[${of.window}]))`;
  const ofJobs = (labels: string, matcher: string) => {
    const found = `label_replace(${jobs(of, matcher)}, "user_name", "not known", "", "")`;
    const known = `(${jobs(of, matcher)} * on (cluster_id, job_id) group_left (user_name) ${users} or on (cluster_id, job_id) ${found})`;
    return `max by (${labels}, ${BY_OWNER}) (${copied(copied(known, team, 'user_name'), workload, 'job_id')}) and on (${labels})`;
  };
  const bySlurm = withOnlyJob(
    of,
    (gpus, labels, found) => `group by (${gpu}) (${gpus}) * on (${labels}) group_left (${BY_OWNER}) ${found}`,
    ofJobs
  );
  return `(group by (${gpu}, ${BY_OWNER}) (${[...ofPods, ofFiles].join(' or ')}) or on (${gpu}) (${bySlurm}))`;
}
