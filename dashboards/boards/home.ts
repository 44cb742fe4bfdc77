import { board } from '../lib/board.ts';
import { badBelow, badIfAny, HEAT, neutral, plain, POOL, shareGauge, STATUSES } from '../lib/display.ts';
import { GPU, JOBS, PROFILING } from '../lib/families.ts';
import { BEHIND_PEERS, DASH, NOT_COLLECTED, node, time, withXid, xidErrors } from '../lib/findings.ts';
import { toGpu, toJobAndItsNodes, toNode } from '../lib/links.ts';
import { graph, lanes, list, numbers } from '../lib/panels.ts';
import {
  anywhere,
  average,
  byNode,
  countOf,
  findings,
  fleetAverage,
  fleetHighest,
  fleetQuantile,
  HOST,
  inCluster,
  lastIn,
  over,
  withNode,
} from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { fleet, NONE_LOADED, slowestGpus } from '../lib/stragglers.ts';
import { clusters, host, throttlingUnit } from '../lib/variables.ts';

const UTIL = inCluster('DCGM_FI_DEV_GPU_UTIL');
const USED = inCluster('DCGM_FI_DEV_FB_USED');
const FREE = inCluster('DCGM_FI_DEV_FB_FREE');
const POWER = inCluster('DCGM_FI_DEV_POWER_USAGE');
const TEMPERATURE = inCluster('DCGM_FI_DEV_GPU_TEMP');
const XID = inCluster('DCGM_FI_DEV_XID_ERRORS');
const TENSOR = inCluster('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE');
const SM = inCluster('DCGM_FI_PROF_SM_ACTIVE');
const ANY_GPU = anywhere('DCGM_FI_DEV_GPU_UTIL');

const now = numbers({
  description:
    'Utilization is the share of time in which a kernel ran; tensor cores active is the share of cycles in which they computed, which is close to what a model gets out of the GPU.',
  family: GPU,
  width: 24,
  queries: [
    instant(`count(${UTIL})`, 'GPUs'),
    instant(`avg(${UTIL})`, 'Utilization'),
    instant(`avg(${TENSOR})`, 'Tensor cores active'),
    instant(`sum(${USED}) / (sum(${USED}) + sum(${FREE}))`, 'Memory used'),
    instant(`sum(${POWER})`, 'Power'),
    instant(`max(${TEMPERATURE})`, 'Hottest'),
    instant(countOf(XID, '> 0'), 'With an XID error'),
  ],
  unit: 'locale',
  looks: {
    Utilization: { unit: 'percent', decimals: 0, steps: badBelow(30, 60) },
    'Tensor cores active': { unit: 'percentunit', decimals: 0, steps: neutral },
    'Memory used': { unit: 'percentunit', decimals: 0, steps: neutral },
    Power: { unit: 'watt', decimals: 1, steps: neutral },
    Hottest: { unit: 'celsius', steps: HEAT },
    'With an XID error': { steps: badIfAny },
  },
});

const utilization = graph({
  title: 'GPU utilization',
  description:
    'Average over all GPUs, and the band in which nine of ten lie. A wide band means that some work and others wait. Regions and dashed lines are fine-tuning jobs and their checkpoints; the rows below are the same jobs.',
  family: GPU,
  ofFleet: true,
  width: 16,
  height: 10,
  unit: 'percent',
  min: 0,
  max: 100,
  queries: [
    range(fleetAverage(UTIL), 'Average'),
    range(fleetQuantile(0.95, UTIL), '95th percentile'),
    range(fleetQuantile(0.05, UTIL), '5th percentile'),
  ],
  looks: {
    Average: { color: 'green', lineWidth: 2 },
    '95th percentile': { color: 'semi-dark-green', fillTo: '5th percentile', lineWidth: 0 },
    '5th percentile': { color: 'semi-dark-green', lineWidth: 0 },
  },
});

const activity = graph({
  title: 'Tensor and SM activity',
  description:
    'Share of cycles in which tensor cores computed, and in which multiprocessors had work, averaged over all GPUs. Much SM and little tensor activity: the model waits for memory, or does not use the tensor cores.',
  family: PROFILING,
  ofFleet: true,
  width: 8,
  height: 10,
  unit: 'percentunit',
  min: 0,
  max: 1,
  queries: [range(fleetAverage(SM), 'SM active'), range(fleetAverage(TENSOR), 'Tensor cores active')],
});

const stragglers = list({
  title: 'Stragglers at the end of the range',
  description: `GPUs under load that are slower than the others of their node: by clock, or idle because of their PCIe link, at least 8 % and four standard deviations behind the median of ten minutes. GPUs of a job work in step, so the slowest holds up all others. The dashboard Stragglers has the evidence, since when and how sure. ${NOT_COLLECTED}`,
  family: GPU,
  isExplained: true,
  width: 24,
  height: 6,
  queries: [rows(findings(slowestGpus(fleet), UTIL, ANY_GPU, NONE_LOADED))],
  columns: {
    node,
    gpu: { title: 'GPU', link: toGpu(true), width: 60 },
    cause: { title: 'Why' },
    Value: BEHIND_PEERS,
  },
  sortBy: 'Behind',
});

const OF_NODE = `by (${HOST}, nodepool_name)`;
const COMPUTED = `avg ${OF_NODE} (${UTIL}) >= 2`;
const HELD = `sum ${OF_NODE} (${USED}) / (sum ${OF_NODE} (${USED}) + sum ${OF_NODE} (${FREE}))`;
const HANGING = `${HELD} > 0.3 and avg ${OF_NODE} (${over('avg_over_time', UTIL, '5m')}) < 2`;

const hanging = list({
  title: 'Nodes that hold memory and compute nothing',
  description: `Utilization below 2 % for 5 minutes at the end of the range, with more than 30 % of GPU memory in use: a job that hangs, or one that has ended and left a process behind. “Since” is when the node last computed. A server of models without requests looks the same. ${NOT_COLLECTED}`,
  family: GPU,
  ofFleet: true,
  isExplained: true,
  width: 12,
  height: 8,
  queries: [
    rows(findings(`topk(20, ${HANGING})`, UTIL, ANY_GPU, 'No node hangs')),
    rows(withNode(`${lastIn(() => COMPUTED)} or 0 * avg ${OF_NODE} (${UTIL})`)),
  ],
  required: 'Value #A',
  columns: {
    node,
    'Value #B': time('Since'),
    'Value #A': {
      title: 'Memory',
      words: DASH,
      unit: 'percentunit',
      decimals: 0,
      width: 75,
      cell: 'color-text',
      steps: plain,
    },
    nodepool_name: { title: 'Node pool', width: 100 },
  },
});

const running = list({
  title: 'Jobs that go on, the most silent first',
  description:
    'When each job last reported an event, a checkpoint or a training metric. A job that reports nothing while the nodes of its pool hold memory and compute nothing hangs. The node pool is the one in the job’s metadata; a job without one can only be compared by time.',
  family: { ...JOBS, missing: 'no job is running or paused in this range.' },
  width: 12,
  height: 8,
  queries: [{ queryType: 'fineTuningJobs', format: 'results', statuses: ['running', 'paused'] }],
  columns: {
    name: { title: 'Job', minWidth: 120, link: toJobAndItsNodes },
    last_report: { title: 'Last report', width: 160 },
    status: { title: 'Status', width: 75, words: STATUSES, cell: 'color-text', steps: plain },
    node_pool: POOL,
    run_time: { title: 'Running for', unit: 's', decimals: 1, width: 105 },
    job_id: { hidden: true },
    created: { hidden: true },
    until: { hidden: true },
  },
  sortBy: 'Last report',
  rising: true,
});

const memory = graph({
  title: 'GPU memory',
  description: 'Of all GPUs: what is allocated, and what there is.',
  family: GPU,
  ofFleet: true,
  width: 8,
  unit: 'mbytes',
  min: 0,
  queries: [
    range(`sum(${average(USED)})`, 'In use'),
    // Together they don't change, so their last values do.
    range(`sum(${USED}) + sum(${FREE})`, 'Installed'),
  ],
  looks: { 'In use': { color: 'blue', fill: 25 }, Installed: { color: 'text' } },
});

const power = graph({
  title: 'Power',
  description: 'Drawn by all GPUs together, without the machines around them.',
  family: GPU,
  ofFleet: true,
  width: 8,
  unit: 'watt',
  min: 0,
  queries: [range(`sum(${average(POWER)})`, 'All GPUs')],
});

const temperature = graph({
  title: 'Temperature',
  description: 'The hottest GPU, and the average. GPUs slow themselves down at about 87 °C.',
  family: GPU,
  ofFleet: true,
  width: 8,
  unit: 'celsius',
  queries: [range(fleetHighest(TEMPERATURE), 'Hottest'), range(fleetAverage(TEMPERATURE), 'Average')],
  looks: { Hottest: { color: 'orange' }, Average: { color: 'blue' } },
});

const nodes = list({
  title: 'Nodes',
  description:
    'Every node with averages over its GPUs, least busy first. A node that is drained has no load, either: the dashboard Cluster lists the machines that are out of service. Click a node for its own dashboard.',
  family: GPU,
  isExplained: true,
  width: 24,
  height: 10,
  queries: [
    rows(findings(`avg by (${HOST}, cluster_id) (${UTIL})`, UTIL, ANY_GPU, 'No node')),
    rows(byNode('avg', TENSOR, 'cluster_id')),
    rows(byNode('avg', `${USED} / (${USED} + ${FREE})`, 'cluster_id')),
    rows(byNode('sum', POWER, 'cluster_id')),
    rows(byNode('max', TEMPERATURE, 'cluster_id')),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true), width: 235 },
    cluster_id: { title: 'Cluster' },
    'Value #A': {
      title: 'Utilization',
      words: DASH,
      unit: 'percent',
      decimals: 0,
      min: 0,
      max: 100,
      cell: 'gauge',
      steps: badBelow(30, 60),
    },
    'Value #B': shareGauge('Tensor cores active'),
    'Value #C': shareGauge('Memory used'),
    'Value #D': { title: 'Power', unit: 'watt', decimals: 1, width: 110 },
    'Value #E': { title: 'Hottest GPU', unit: 'celsius', width: 120, cell: 'color-text', steps: HEAT },
  },
  sortBy: 'Utilization',
  rising: true,
});

const jobLanes = lanes('Fine-tuning jobs');

const curves = graph({
  title: 'Training and validation loss',
  description:
    'Of the fine-tuning jobs in the time range, from live metrics where the platform has them, else from checkpoints.',
  family: JOBS,
  width: 24,
  height: 9,
  unit: 'short',
  queries: [{ queryType: 'fineTuningCurves', metrics: ['train_loss', 'valid_loss'], xAxis: 'time' }],
});

export const home = () =>
  board({
    uid: 'gpucloud-gpu-overview',
    title: 'GPU overview with fine-tuning',
    description: 'How well the GPUs are used, which of them need a look, and what fine-tuning has to do with it.',
    variables: [host(), clusters(), throttlingUnit(), withXid()],
    annotated: [utilization, activity, curves],
    sections: [
      { panels: [now, utilization, activity, jobLanes] },
      { title: 'Worth a look', panels: [hanging, running, stragglers, xidErrors()] },
      { title: 'Load', panels: [memory, power, temperature, nodes] },
      { title: 'Fine-tuning', panels: [curves] },
    ],
  });
