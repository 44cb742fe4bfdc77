import { QUANTITIES, type QuantityName } from '../../src/catalog/quantities.ts';
import { board } from '../lib/board.ts';
import type { Look } from '../lib/display.ts';
import { GPU, SLURM } from '../lib/families.ts';
import { WIDE_CLUSTER } from '../lib/findings.ts';
import { awaited, CREATED, PENDING, POD, requestedWithin, restarts } from '../lib/kubernetes.ts';
import { graph, list } from '../lib/panels.ts';
import { inSteps, slurmClusters } from '../lib/quantities.ts';
import { numbersOf, quantities } from '../lib/quantityPanels.ts';
import { range, rows } from '../lib/queries.ts';
import { prefix, several } from '../lib/variables.ts';

const now = numbersOf(
  [
    ['slurmNodes', slurmClusters],
    ['slurmAllocated', slurmClusters],
    ['slurmIdle', slurmClusters],
    ['slurmDrained', slurmClusters],
    ['slurmDown', slurmClusters],
    ['jobsRunning', slurmClusters],
    ['jobsPending', slurmClusters],
    ['jobsFailed', slurmClusters],
  ],
  {
    description:
      'Nodes and jobs of the chosen clusters. Of a thousand nodes, some are always drained or down. Failed jobs are those of the past day, as Slurm counts them; soperator’s exporter does not.',
    family: SLURM,
  }
);

const LINES = { family: SLURM, of: slurmClusters, unit: 'none' } as const;

const COLORS: Partial<Record<QuantityName, string>> = {
  slurmAllocated: 'green',
  slurmMixed: 'blue',
  slurmIdle: 'super-light-blue',
  slurmDrained: 'orange',
  slurmDown: 'red',
};

const titles = (names: QuantityName[]) => Object.fromEntries(names.map((name) => [name, QUANTITIES[name].title]));

const states = quantities({
  ...LINES,
  title: 'Nodes by state',
  description:
    'Nodes that are drained or down take no jobs. The areas add up to all nodes; a state that no node is in has none.',
  lines: titles(Object.keys(COLORS) as QuantityName[]),
  stacked: true,
  looks: Object.fromEntries(
    Object.entries(COLORS).map(([name, color]) => [
      QUANTITIES[name as QuantityName].title,
      { color, fill: 70, lineWidth: 0 },
    ])
  ),
});

const idleMeanwhile = graph({
  title: 'Idle nodes while jobs wait',
  description:
    'Idle nodes at times at which jobs are pending, and the jobs. They need more nodes than are idle, other nodes, or wait for a limit or another job: the reasons are in the row below where the exporter has them.',
  family: SLURM,
  unit: 'none',
  queries: [
    range(
      `${inSteps('slurmIdle', slurmClusters)} * (${inSteps('jobsPending', slurmClusters)} > bool 0)`,
      'Idle while jobs wait'
    ),
    range(inSteps('jobsPending', slurmClusters), 'Pending jobs'),
  ],
  looks: { 'Idle while jobs wait': { color: 'orange', fill: 30 }, 'Pending jobs': { color: 'blue' } },
});

const byPartition = quantities({
  ...LINES,
  title: 'Pending by partition',
  by: 'partition',
  lines: { jobsPendingByPartition: '{{partition}}' },
  stacked: true,
});

const failures = quantities({
  ...LINES,
  title: 'Failed in the past day',
  decimals: 0,
  description: 'By the reason that Slurm gives.',
  lines: titles(['jobsFailed', 'jobsOutOfMemory', 'jobsTimedOut']),
});

const cycles = quantities({ ...LINES, title: 'Scheduling cycle', lines: { schedulingCycle: 'Mean' }, unit: 'µs' });

/** Jobs as the exporter of https://github.com/nebius/soperator has them: times are labels, in seconds. */
const JOB = 'cluster_id, job_id, job_name, user_name, slurm_partition, job_state_reason, submit_time, start_time';
const jobsIn = (state: string, window = '150s', by = JOB, seen = 'last_over_time'): string =>
  `max by (${by}) (${seen}(slurm_job_info{job_state="${state}", cluster_id=~"$slurm_cluster"}[${window}]))`;

const JOB_COLUMNS: Record<string, Look> = {
  job_id: { title: 'Job', width: 75 },
  job_name: { title: 'Name', minWidth: 100 },
  user_name: { title: 'User', width: 90 },
  slurm_partition: { title: 'Partition', width: 95 },
  cluster_id: WIDE_CLUSTER,
};
const NO_INFO = 'or there is no slurm_job_info: the exporter of soperator has it.';

const waiting = list({
  title: 'Jobs that wait, the longest first',
  description:
    'Pending jobs, with their users and the reason that Slurm gives, from slurm_job_info, and how long they have waited at the end of the range. Without that metric it is empty.',
  family: { ...SLURM, missing: `no job waits, ${NO_INFO}` },
  height: 7,
  queries: [rows(jobsIn('PENDING'))],
  numeric: ['submit_time'],
  computed: { waits: ['${__to:date:seconds}', '-', 'submit_time'] },
  columns: {
    ...JOB_COLUMNS,
    job_state_reason: { title: 'Reason', width: 200, wrap: true },
    waits: { title: 'In the queue', unit: 's', decimals: 1, width: 110 },
  },
  sortBy: 'In the queue',
});

const RAN = jobsIn('RUNNING', '$__range');

/** Of jobs that ran in the range, those that were seen in the queue most often: it may have thousands, and their times are labels, which nothing ranks. */
const LONGEST = `topk(100, ${jobsIn('PENDING', '$__range', 'cluster_id, job_id', 'count_over_time')} and on (cluster_id, job_id) ${RAN})`;

const waited = list({
  title: 'How long jobs had waited, the longest first',
  description:
    'Time from submission to start of the jobs that run, and of those of the range that waited longest in it, from slurm_job_info. Without that metric it is empty.',
  family: { ...SLURM, missing: `no job ran, ${NO_INFO}` },
  height: 7,
  queries: [rows(`${jobsIn('RUNNING')} or ${RAN} and on (cluster_id, job_id) ${LONGEST}`)],
  numeric: ['submit_time', 'start_time'],
  computed: { waited: ['start_time', '-', 'submit_time'], started: ['start_time', '*', '1000'] },
  columns: {
    ...JOB_COLUMNS,
    started: { title: 'Started', unit: 'dateTimeFromNow', width: 110 },
    waited: { title: 'In the queue', unit: 's', decimals: 1, width: 110 },
  },
  sortBy: 'In the queue',
});

/** Where there is no `kube_pod_created`, for as long as it was seen to wait. */
const WAITS = `time() - ${CREATED} or 60 * sum_over_time((${PENDING})[1d:1m])`;

/** Of pods that may be gone by the end of the range. */
const PLACED = requestedWithin('$__range');
const RESTARTED = `topk(100, ${restarts('$__range')} >= 0.5 and on (${POD}) ${PLACED})`;

const pods = list({
  title: 'Pods with GPUs that wait or restart',
  description:
    'Of pods that request GPUs, those that are pending at the end of the range, the longest first: without a node they wait for one, else for their image or volume; and up to a hundred with a container that restarted in the range. By kube-state-metrics.',
  family: {
    ...GPU,
    missing:
      'no pod waits or has restarted, or there are no metrics of kube-state-metrics: add it to what is scraped as custom metrics.',
  },
  height: 7,
  queries: [
    rows(`${awaited(`${POD}, node`)} or ${PLACED} and on (${POD}) ${RESTARTED}`),
    rows(`(${WAITS}) and on (${POD}) ${awaited()}`),
    rows(RESTARTED),
  ],
  required: 'Value #A',
  columns: {
    pod: { title: 'Pod', minWidth: 160, wrap: true },
    namespace: { title: 'Namespace', width: 120 },
    cluster_id: WIDE_CLUSTER,
    node: { title: 'On', minWidth: 150, wrap: true, absent: 'no node' },
    'Value #A': { title: 'GPUs', width: 60 },
    'Value #B': { title: 'Waits', unit: 's', decimals: 1, width: 90, absent: '–' },
    'Value #C': { title: 'Restarts', decimals: 0, width: 80, absent: '–' },
  },
  sortBy: ['Waits', 'Restarts'],
});

export const queue = () =>
  board({
    uid: 'gpucloud-queue',
    title: 'Queue',
    question: 'What waits?',
    description: 'Jobs, nodes and scheduler of Slurm clusters; pods of Kubernetes that wait for GPUs, or restart.',
    variables: [
      prefix(),
      several('slurm_cluster', 'Slurm cluster', '{__name__=~"${prefix}_slurm_nodes|slurm_node_info"}', 'cluster_id'),
    ],
    sections: [
      { panels: [now, [states, idleMeanwhile, byPartition]] },
      {
        // Without Slurm, a page of panels that have nothing to show would stand here; and few of its exporters have slurm_job_info.
        title: 'Jobs and their users, failures and the scheduler',
        folded: true,
        panels: [waiting, waited, [failures, cycles]],
      },
      { title: 'Pods of all Kubernetes clusters', folded: true, panels: [pods] },
    ],
  });
