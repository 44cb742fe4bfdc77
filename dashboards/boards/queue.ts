import { QUANTITIES, type QuantityName } from '../../src/catalog/quantities.ts';
import { PLACE, placed, withoutJobs } from '../lib/allocation.ts';
import { board } from '../lib/board.ts';
import { percent, type Look } from '../lib/display.ts';
import { DASH, WIDE_CLUSTER } from '../lib/findings.ts';
import { awaited, failedWithin, inQueues, POD, requestedWithin, restarts, WAITS } from '../lib/kubernetes.ts';
import { toNode } from '../lib/links.ts';
import { graph, list } from '../lib/panels.ts';
import { anywhere, NO_FINDING, sentenceRow } from '../lib/promql.ts';
import { inSteps, queues, slurmClusters } from '../lib/quantities.ts';
import { numbersOf, quantities } from '../lib/quantityPanels.ts';
import { range } from '../lib/queries.ts';
import { prefix, several } from '../lib/variables.ts';

const NODES: QuantityName[] = ['slurmNodes', 'slurmAllocated', 'slurmIdle', 'slurmDrained', 'slurmDown'];
const now = numbersOf(
  [...NODES, 'jobsRunning' as const, 'jobsPending' as const, 'jobsFailed' as const].map((name) => [name, queues]),
  {
    description:
      'Nodes and jobs of the chosen clusters; in a cluster of Kubernetes without Slurm nodes with GPUs, and pods that request some. Of a thousand nodes, some are always drained, or cordoned, or down. Failed are those of the past day.',
  }
);

const COLORS: Partial<Record<QuantityName, string>> = {
  slurmAllocated: 'green',
  slurmMixed: 'blue',
  slurmIdle: 'super-light-blue',
  slurmDrained: 'orange',
  slurmDown: 'red',
};

const titles = (names: QuantityName[]) => Object.fromEntries(names.map((name) => [name, QUANTITIES[name].title]));

const states = quantities({
  of: queues,
  title: 'Nodes by state',
  description:
    'Nodes that are drained or down take no jobs. The areas add up to all nodes; a state that no node is in has none. In Kubernetes, a node is allocated if pods request all of its GPUs, and drained if it is cordoned.',
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
    'Idle nodes at times at which jobs are pending, and the jobs. They need more nodes than are idle, other nodes, or wait for a limit or another job: the reasons are in the table below where the exporter has them.',
  unit: 'none',
  queries: [
    range(`${inSteps('slurmIdle', queues)} * (${inSteps('jobsPending', queues)} > bool 0)`, 'Idle while jobs wait'),
    range(inSteps('jobsPending', queues), 'Pending jobs'),
  ],
  looks: { 'Idle while jobs wait': { color: 'orange', fill: 30 }, 'Pending jobs': { color: 'blue' } },
});

const byPartition = quantities({
  of: queues,
  title: 'Pending by partition or namespace',
  lines: { jobsPendingByPartition: '{{partition}}' },
  stacked: true,
});

const failures = quantities({
  of: slurmClusters,
  title: 'Failed in the past day',
  decimals: 0,
  description: 'By the reason that Slurm gives.',
  lines: titles(['jobsFailed', 'jobsOutOfMemory', 'jobsTimedOut']),
});

const cycles = quantities({ of: slurmClusters, title: 'Scheduling cycle', lines: { schedulingCycle: 'Mean' } });

/** Jobs by the exporter of https://github.com/nebius/soperator: times are labels, and no number of GPUs is known. */
const jobsIn = (states: string): string => `slurm_job_info{job_state=~"${states}", cluster_id=~"$slurm_cluster"}`;
const inState = (states: string, by: string, window: string): string =>
  `group by (cluster_id, job_id, ${by}) (last_over_time(${jobsIn(states)}[${window}]))`;

const SAID = 'job_name, user_name, slurm_partition, job_state_reason';
const JOBS = `${NO_FINDING} * ${inState('PENDING', `${SAID}, submit_time`, '150s')}`;

/** Of pods that may be gone by the end of the range. */
const PLACED = requestedWithin('$__range');
const ofPlaced = (found: string) => `topk(100, ${found} and on (${POD}) ${PLACED})`;
const RESTARTED = ofPlaced(`${restarts('$__range')} >= 0.5`);
const FAILED = ofPlaced(failedWithin('$__range'));

const PODS = `${awaited(`${POD}, node`)} or ${PLACED} and on (${POD}) (${RESTARTED} or ${FAILED})`;

/** A row with a sentence where nothing is found: that all is well, if one of some metrics is there, or what is not collected. */
const orWhyNot = (found: string, metrics: string, none: string, missing: string): string =>
  [
    found,
    sentenceRow(`count({__name__=~"${metrics}"})`, none),
    sentenceRow('vector(1)', `Not collected: ${missing}`),
  ].join(' or on () ');

const waiting = list({
  title: 'Jobs and pods that wait, fail or restart',
  description:
    'At the end of the range, pending jobs, with their users and the reason that Slurm gives, from slurm_job_info, and pods that request GPUs and are pending: without a node they wait for one, else for their image or volume. Of pods with GPUs also up to a hundred that failed in the range, and as many with a container that restarted, by kube-state-metrics.',
  height: 7,
  found: orWhyNot(
    `${JOBS} or ${inQueues(PODS)}`,
    'slurm_node_info|kube_node_status_allocatable',
    'Nothing waits, failed or restarted',
    'slurm_job_info of soperator’s exporter has the jobs, kube-state-metrics the pods'
  ),
  queries: [`${WAITS} and on (${POD}) ${awaited()}`, RESTARTED, FAILED],
  numeric: ['submit_time'],
  computed: { waits: ['${__to:date:seconds}', '-', 'submit_time'] },
  columns: {
    job_id: { title: 'Job', width: 75 },
    job_name: { title: 'Name', minWidth: 100 },
    user_name: { title: 'User', width: 90 },
    slurm_partition: { title: 'Partition', width: 95 },
    cluster_id: WIDE_CLUSTER,
    job_state_reason: { title: 'Reason', width: 200, wrap: true },
    pod: { title: 'Pod', minWidth: 160, wrap: true },
    namespace: { title: 'Namespace', width: 120 },
    node: { title: 'On', minWidth: 150, wrap: true, absent: 'no node' },
    'Value #A': { title: 'GPUs', width: 60, words: DASH },
    waits: { title: 'In the queue', unit: 's', decimals: 1, width: 125 },
    'Value #B': { title: 'Waits', unit: 's', decimals: 1, width: 90, absent: '–' },
    'Value #C': { title: 'Restarts', decimals: 0, width: 100, absent: '–' },
    'Value #D': { title: 'Failed', width: 80, absent: '–', words: { 1: { text: 'yes' } } },
  },
  sortBy: ['In the queue', 'Waits', 'Restarts'],
});

const newest = (metric: string, ...more: string[]): string =>
  `last_over_time(${anywhere(metric, 'cluster_id=~"$slurm_cluster"', ...more)}[150s])`;

const RESERVED = placed(newest('slurm_node_info', 'state_is_reserved="true"'), 'node_name');

const outOfService = list({
  title: 'Nodes that take no jobs',
  description:
    'At the end of the range: drained, in maintenance or reserved in Slurm, with the reason and the reservation that soperator’s exporter has, or cordoned in Kubernetes. A hundred at most.',
  height: 6,
  found: orWhyNot(
    `topk(100, group by (cluster_id, ${PLACE}, reason, reservation_name) (${withoutJobs(newest)} or ${RESERVED}))`,
    'slurm_node_info|slurm_node_cpu_total|kube_node_spec_unschedulable',
    'All nodes take jobs',
    'neither Slurm’s nor Kubernetes’ nodes by name'
  ),
  columns: {
    [PLACE]: { title: 'Node', link: toNode(true, PLACE), minWidth: 160 },
    cluster_id: WIDE_CLUSTER,
    reason: { title: 'Reason', minWidth: 200, wrap: true },
    reservation_name: { title: 'Reservation', minWidth: 150 },
  },
});

/** How jobs end: https://slurm.schedmd.com/job_state_codes.html */
const BADLY = 'BOOT_FAIL|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT';
const ANYHOW = `CANCELLED|COMPLETED|${BADLY}`;

const OF_JOB = 'cluster_id, job_id';
const NODES_OF_JOBS = 'last_over_time(slurm_node_job{cluster_id=~"$slurm_cluster"}[$__range])';
/** Those that Slurm forgot last, as it does some minutes after their end (MinJobAge). */
const NEWEST_FAILURES = `topk(100, max by (${OF_JOB}, ${SAID}, job_state, start_time, end_time) (max_over_time(timestamp(${jobsIn(BADLY)})[$__range:5m])))`;
const orNoFailure = (found: string) =>
  orWhyNot(found, 'slurm_node_info', 'No job failed', 'slurm_job_info of soperator’s exporter');

const failed = list({
  title: 'Jobs of Slurm that failed',
  description:
    'Jobs that failed in the range, ran out of time or of memory, or were preempted, the newest hundred, by slurm_job_info; and one of the nodes of each, by slurm_node_job.',
  found: orNoFailure(`1 + 0 * ${NEWEST_FAILURES}`),
  queries: [
    `topk by (${OF_JOB}) (1, group by (${OF_JOB}, node_name) (${NODES_OF_JOBS})) and on (${OF_JOB}) ${inState(BADLY, 'user_name', '$__range')}`,
  ],
  numeric: ['start_time', 'end_time'],
  computed: { ran: ['end_time', '-', 'start_time'], ended: ['end_time', '*', '1000'] },
  columns: {
    job_id: { title: 'Job', width: 75 },
    job_name: { title: 'Name', minWidth: 120 },
    user_name: { title: 'User', width: 100 },
    slurm_partition: { title: 'Partition', width: 95 },
    cluster_id: WIDE_CLUSTER,
    job_state: { title: 'State', width: 120 },
    job_state_reason: { title: 'Reason', minWidth: 130 },
    node_name: { title: 'On', link: toNode(true, 'node_name'), minWidth: 130 },
    ran: { title: 'Ran', unit: 's', decimals: 1, width: 90 },
    ended: { title: 'Ended', unit: 'dateTimeAsIso', width: 160 },
  },
  sortBy: 'Ended',
});

/** How many jobs ended, and how many of these badly, by what they have in common. */
const failuresBy = (column: string, look: Look & { title: string }, jobs: (states: string) => string) =>
  list({
    title: `Failed jobs by ${look.title.toLowerCase()}`,
    description: `Of the jobs of Slurm that ended in the range, those that failed, ran out of time or of memory, or were preempted. A job of several nodes counts on each, and one that ended between two scrapes on none.`,
    found: orNoFailure(`topk(100, count by (cluster_id, ${column}) (${jobs(BADLY)}))`),
    queries: [`count by (cluster_id, ${column}) (${jobs(ANYHOW)}) and on (cluster_id, ${column}) (${jobs(BADLY)})`],
    computed: { share: ['Value #A', '/', 'Value #B'] },
    columns: {
      [column]: { ...look, minWidth: 130 },
      cluster_id: WIDE_CLUSTER,
      'Value #A': { title: 'Failed', width: 80, words: DASH },
      'Value #B': { title: 'Ended', width: 80 },
      share: percent('Share'),
    },
    sortBy: 'Failed',
  });

const failedByUser = failuresBy('user_name', { title: 'User' }, (states) => inState(states, 'user_name', '$__range'));
const failedByNode = failuresBy(
  'node_name',
  { title: 'Node', link: toNode(true, 'node_name') },
  (states) =>
    `group by (${OF_JOB}, node_name) (${NODES_OF_JOBS}) and on (${OF_JOB}) ${inState(states, 'user_name', '$__range')}`
);

export const queue = board({
  uid: 'gpucloud-queue',
  title: 'Queue',
  question: 'What waits?',
  description:
    'Jobs, nodes and scheduler of Slurm clusters; in Kubernetes, pods that wait for GPUs, failed or restart.',
  needs: [['Slurm, kube-state-metrics', 'Slurm', 'Slurm, by soperator', 'Slurm, by sinfo', 'kube-state-metrics']],
  variables: [
    prefix(),
    several(
      'slurm_cluster',
      'Cluster',
      '{__name__=~"${prefix}_slurm_nodes|slurm_node_info|slurm_nodes_idle|kube_node_status_allocatable"}',
      'cluster_id'
    ),
  ],
  sections: [
    { panels: [now, [states, idleMeanwhile, byPartition], waiting] },
    {
      title: 'Failures, nodes that take no jobs, and scheduler',
      folded: true,
      panels: [failed, [failedByUser, failedByNode], outOfService, [failures, cycles]],
    },
  ],
});
