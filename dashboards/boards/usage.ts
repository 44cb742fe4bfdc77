import type { RunSource } from '../../src/types/runSource.ts';
import { board } from '../lib/board.ts';
import { JOB_LABELS, jobSeries, NOT_OF_EXPORTER, POD, TWO_GPUS } from '../lib/allocation.ts';
import { GPU_HOURS, neutral, STATUSES, type Look } from '../lib/display.ts';
import { JOBS, RUNS } from '../lib/missing.ts';
import { DASH, findings, WIDE_CLUSTER } from '../lib/findings.ts';
import { byState, COUNTED_GPUS, GPUS_BY_STATE, looksOfStates, MEANING_OF_STATES } from '../lib/gpuStates.ts';
import { hoursByCause, hoursOfTeams, RESOLUTION } from '../lib/causePromql.ts';
import { toGpuTime, toRunOfJob, toSlurmRun } from '../lib/links.ts';
import { graph, list, parts, type ListSpec } from '../lib/panels.ts';
import { copied, inCluster, matching } from '../lib/promql.ts';
import { listOf } from '../lib/queries.ts';
import { clustersOfGpus, forCountsOfGpus, nodesToReadAllOf, resolution } from '../lib/gpuTimeVariables.ts';
import { nodesWith, picked } from '../lib/variables.ts';

const hours = parts({
  title: 'GPU-hours of the range, by what they went into',
  description: `${MEANING_OF_STATES} Not used is what was not busy, of all with data. The dashboard GPU time has the causes.`,
  interval: RESOLUTION,
  unit: 'locale',
  decimals: 0,
  link: toGpuTime,
  found: byState(hoursByCause(GPUS_BY_STATE)),
  by: 'state',
  total: 'GPU-hours',
  computed: {
    known: ['GPU-hours', '-', 'Without data'],
    lost: ['known', '-', 'Busy'],
    'Not used': ['lost', '/', 'known'],
  },
  looks: {
    ...looksOfStates('GPU-hours', { steps: neutral }),
    'Not used': { unit: 'percentunit', steps: neutral },
  },
});

const trend = graph({
  title: 'Billed GPU-hours a day, by node pool',
  description: 'As the platform counts them, whether they were used or not. The last day is not over.',
  missing: 'the platform has no usage of the organization, or there is no access key.',
  past: '30d',
  unit: 'locale',
  decimals: 0,
  stepped: true,
  stacked: true,
  legend: 'table',
  looksLike: { '/^GPU-hours /': { title: '${__field.labels.nodepool_name}' } },
  queries: [
    listOf('/v1/organizations/{organizationId}/usage', {
      timeColumn: 'start_time',
      columns: [
        { selector: 'start_time', type: 'time' },
        { selector: 'nodepool_name' },
        { selector: 'gpu_hours', name: 'GPU-hours', type: 'number' },
      ],
    }),
  ],
});

/** The total of cells that are all empty is 0: of prices, that would be a cost. */
const NOTHING: Look['words'] = { 0: { text: '–' } };

const MEASURES: Record<string, Look> = {
  gpus: { title: 'GPUs', unit: 'locale', width: 60, absent: '–' },
  gpu_hours: { ...GPU_HOURS, width: 115, absent: '–', total: true },
  energy: { title: 'Energy', decimals: 1, width: 90, absent: '–', total: true },
  cost: { title: 'Cost', decimals: 2, width: 90, absent: '–', words: NOTHING, total: true },
  idle_cost: { title: 'Idle cost', decimals: 2, width: 85, absent: '–', words: NOTHING, total: true },
};

const PRICED =
  'Costs are at the prices of the settings of the data source; without a price or an allocation there is none. Idle is a utilization below 5 %.';

const costs = (
  title: string,
  description: string,
  runs: Array<{ source: RunSource; selector?: string }>,
  columns: ListSpec['columns'],
  more: Partial<ListSpec> = {}
) =>
  list({
    title,
    description: `${description} ${PRICED}`,
    missing: RUNS,
    queries: runs.map((of) => ({ queryType: 'runs', ...of, measures: Object.keys(MEASURES) })),
    columns: { ...columns, ...MEASURES },
    sortBy: 'GPU-hours',
    ...more,
  });

/** GPUs by labels that they have: as long as they report, they are a run. */
const byLabels = (gpus: string, ...labels: string[]): { source: RunSource; selector: string } => ({
  source: { kind: 'series', expr: `group by (${labels.join(', ')}) (${gpus})`, by: labels, maxGap: '30d' },
  selector: labels.map((label) => `${label}="$${label}"`).join(', '),
});

/** Two GPUs of each node say when its pool and its model were there: to read all of eight takes four times as long. */
const TWO_OF_NODE = inCluster('DCGM_FI_DEV_FB_USED', TWO_GPUS);

const pools = costs(
  'By node pool',
  'What the GPUs of each node pool and model took in the range.',
  [byLabels(TWO_OF_NODE, 'cluster_id', 'nodepool_name', 'modelName')],
  {
    nodepool_name: { title: 'Node pool', minWidth: 120 },
    modelName: { title: 'Model', minWidth: 160 },
    cluster_id: WIDE_CLUSTER,
  }
);

const MOST_TEAMS = 20;

/** A scrape without `honor_labels` renames the labels of pods, and the others of its job of Prometheus are then the exporter's own. */
const RENAMED = inCluster('$every', 'exported_pod!=""');
const OWN = `${inCluster('$every', 'namespace!=""', ...NOT_OF_EXPORTER)} unless on (cluster_id, job) ${RENAMED}`;
/** Pods of clusters in which they are nodes of Slurm own nothing. */
const unlessNodes = (pods: string): string => `${pods} unless on (cluster_id) slurm_node_info`;
const namespaces = costs(
  'By namespace',
  'What the GPUs of the pods of each namespace took in the range, where the exporter gives GPUs that label, and pods are no nodes of Slurm. Of a user of Slurm it is not known, because no label of GPUs names one.',
  [
    byLabels(unlessNodes(OWN), 'cluster_id', 'namespace'),
    {
      ...byLabels(unlessNodes(copied(RENAMED, 'namespace', 'exported_namespace')), 'cluster_id', 'namespace'),
      selector: 'cluster_id="$cluster_id", exported_namespace="$namespace"',
    },
  ],
  { namespace: { title: 'Namespace', minWidth: 120 }, cluster_id: WIDE_CLUSTER },
  { missing: 'no GPU has a label with the namespace of a pod.' }
);

const WITHOUT_TEAM = 'No label says whose GPUs are';

const teams = list({
  title: 'By team',
  description:
    'GPU-hours of the range in which GPUs were allocated, by whose they are, the twenty with most; those in which they ran no kernel; and the energy that the GPUs took. Who that is comes from labels: the namespace of a pod (also as exported_…), and the user of a Slurm job, which hpc_job names, or which has a whole node alone; choose above to tell their workloads, pods whose names differ in what Kubernetes adds, and jobs apart. A GPU that teams share counts for each of them. Of GPUs without these labels it is not known.',
  height: 10,
  interval: RESOLUTION,
  found: findings(
    `topk(${MOST_TEAMS}, ${hoursOfTeams(COUNTED_GPUS, 'gpucloud:gpus:by_team')})`,
    'DCGM_FI_DEV_POWER_USAGE',
    WITHOUT_TEAM
  ),
  queries: [
    hoursOfTeams(COUNTED_GPUS, 'gpucloud:idle_gpus:by_team'),
    hoursOfTeams(COUNTED_GPUS, 'gpucloud:gpu_watts:by_team'),
  ],
  columns: {
    team: { title: 'Namespace or user', minWidth: 160, wrap: true },
    cluster_id: WIDE_CLUSTER,
    'Value #A': { ...GPU_HOURS, words: DASH, width: 115, total: true },
    'Value #C': { title: 'Energy', words: NOTHING, unit: 'watth', decimals: 1, width: 90, total: true },
    'Value #B': { title: 'Held idle', words: NOTHING, unit: 'locale', decimals: 1, width: 95, total: true },
  },
  sortBy: 'GPU-hours',
});

const jobs = costs(
  'By fine-tuning job, from its beginning',
  'What jobs that ran in the range took from their beginning to their end, also before the range, on the GPUs that their metadata names or their node pool.',
  [{ source: { kind: 'fineTuning' } }],
  {
    run: { title: 'Job', minWidth: 130, link: toRunOfJob },
    status: { title: 'Status', width: 115, words: STATUSES, cell: 'color-text' },
    run_id: { hidden: true },
  },
  { missing: JOBS, height: 10 }
);

const MOST_JOBS = 100;
const ON_NODES = 'slurm_node_job{cluster_id=~"$cluster|"}';
const ON_GPUS = inCluster('DCGM_FI_DEV_FB_USED', 'hpc_job!=""');

/** The ids of the jobs that had most GPUs in the range, or most nodes, of eight at most, where GPUs do not name them. */
const jobsWithMost = () => {
  const samples = (series: string, label: string) =>
    `sum by (job) (${copied(`count_over_time(${series}[$__range])`, 'job', label)})`;
  const jobs = `${samples(ON_GPUS, 'hpc_job')} or 8 * ${samples(ON_NODES, 'job_id')}`;
  return nodesWith('slurm_jobs', `topk(${MOST_JOBS}, ${jobs})`, 'The ids of the Slurm jobs with most GPU-hours', 'job');
};

const JOBS_OF_SLURM = jobSeries(
  matching(ON_NODES, 'job_id=~"$slurm_jobs"'),
  matching(ON_GPUS, 'hpc_job=~"$slurm_jobs"'),
  ON_NODES
);
const slurm = costs(
  'By Slurm job',
  `What the ${MOST_JOBS} Slurm jobs with most GPU-hours took in the range, on the GPUs that have their id as hpc_job, or else on all of their nodes, from slurm_node_job.`,
  [{ source: { kind: 'series', expr: JOBS_OF_SLURM, by: JOB_LABELS } }],
  {
    run: { title: 'Job', minWidth: 160, link: toSlurmRun },
    user_name: { title: 'User', width: 120 },
    run_id: { hidden: true },
  },
  { missing: 'nothing says which GPUs or nodes a Slurm job has: hpc_job or slurm_node_job.' }
);

export const usage = board({
  uid: 'gpucloud-usage',
  title: 'Usage and cost',
  question: 'Who uses what?',
  description: 'GPU-hours, energy and cost by node pool, team and job; what the platform bills.',
  refresh: 'never',
  from: 'now-24h',
  variables: [
    ...clustersOfGpus(),
    picked('team', 'Teams by', [
      { text: 'Namespace or user', value: 'none' },
      { text: 'Workload or job', value: POD },
    ]),
    ...forCountsOfGpus(),
    resolution(),
    ...nodesToReadAllOf(),
    jobsWithMost(),
  ],
  sections: [
    { panels: [hours, pools, teams] },
    { title: 'Fine-tuning and the bill, of all clusters', panels: [jobs, trend] },
    { title: 'Pods and Slurm jobs', folded: true, panels: [namespaces, slurm] },
  ],
});
