import { board } from '../lib/board.ts';
import { badBelow, badIfAny, HEAT, neutral } from '../lib/display.ts';
import { GPU, JOBS, PROFILING } from '../lib/families.ts';
import { toGpu, toNode } from '../lib/links.ts';
import { graph, lanes, list, numbers } from '../lib/panels.ts';
import { byNode, countOf, inCluster, pace, STRAGGLER, withNode } from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { clusters, host } from '../lib/variables.ts';

const UTIL = inCluster('DCGM_FI_DEV_GPU_UTIL');
const USED = inCluster('DCGM_FI_DEV_FB_USED');
const FREE = inCluster('DCGM_FI_DEV_FB_FREE');
const POWER = inCluster('DCGM_FI_DEV_POWER_USAGE');
const TEMPERATURE = inCluster('DCGM_FI_DEV_GPU_TEMP');
const XID = inCluster('DCGM_FI_DEV_XID_ERRORS');
const TENSOR = inCluster('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE');
const SM = inCluster('DCGM_FI_PROF_SM_ACTIVE');

const now = numbers({
  description:
    'Utilisation is the share of time in which a kernel ran; tensor cores active is the share of cycles in which they computed, which is close to what a model gets out of the GPU. A straggler does less than 85 % of the median of its node.',
  family: GPU,
  width: 24,
  queries: [
    instant(`count(${UTIL})`, 'GPUs'),
    instant(`avg(${UTIL})`, 'Utilisation'),
    instant(`avg(${TENSOR})`, 'Tensor cores active'),
    instant(`sum(${USED}) / (sum(${USED}) + sum(${FREE}))`, 'Memory used'),
    instant(`sum(${POWER})`, 'Power'),
    instant(`max(${TEMPERATURE})`, 'Hottest'),
    instant(countOf(`(${pace(inCluster)})`, `< ${STRAGGLER}`), 'Stragglers'),
    instant(countOf(XID, '> 0'), 'With an XID error'),
  ],
  unit: 'short',
  looks: {
    Utilisation: { unit: 'percent', decimals: 0, steps: badBelow(30, 60) },
    'Tensor cores active': { unit: 'percentunit', decimals: 0, steps: neutral },
    'Memory used': { unit: 'percentunit', decimals: 0, steps: neutral },
    Power: { unit: 'watt', decimals: 1, steps: neutral },
    Hottest: { unit: 'celsius', steps: HEAT },
    Stragglers: { steps: badIfAny },
    'With an XID error': { steps: badIfAny },
  },
});

const utilisation = graph({
  title: 'GPU utilisation',
  description:
    'Average over all GPUs, and the band in which nine of ten lie. A wide band means that some work and others wait. Spans and marks are fine-tuning jobs and their checkpoints; the rows below are the same jobs.',
  family: GPU,
  ofFleet: true,
  width: 16,
  height: 10,
  unit: 'percent',
  min: 0,
  max: 100,
  queries: [
    range(`avg(${UTIL})`, 'Average'),
    range(`quantile(0.95, ${UTIL})`, '95th percentile'),
    range(`quantile(0.05, ${UTIL})`, '5th percentile'),
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
  queries: [range(`avg(${SM})`, 'SM active'), range(`avg(${TENSOR})`, 'Tensor cores active')],
});

const stragglers = list({
  title: 'Stragglers',
  description:
    'GPUs that did less than 85 % of the median of their node over the past 15 minutes, slowest first. GPUs of a job work in step, so the slowest holds up all others.',
  family: { ...GPU, missing: 'No straggler: every GPU keeps pace with its node, or there are no GPU metrics.' },
  width: 12,
  queries: [rows(withNode(`bottomk(20, ${pace(inCluster)} < ${STRAGGLER})`))],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    gpu: { title: 'GPU', link: toGpu(true), width: 70 },
    modelName: { title: 'Model' },
    Value: {
      title: 'Of the median',
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      cell: 'gauge',
      steps: badBelow(0.75, 0.9),
    },
  },
  sortBy: 'Of the median',
  rising: true,
});

const xid = list({
  title: 'XID errors',
  description:
    'GPUs whose driver reported an error, with its number in NVIDIA’s list: 79 is a GPU that fell off the bus, 63 and 64 are about remapped memory, 48 is a double-bit ECC error, 31 is a fault of the program.',
  family: { ...GPU, missing: 'No XID error, or no GPU metrics.' },
  width: 12,
  queries: [rows(withNode(`topk(20, ${XID} > 0)`))],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    gpu: { title: 'GPU', link: toGpu(true), width: 70 },
    modelName: { title: 'Model' },
    Value: { title: 'XID', width: 90, cell: 'color-text', steps: badIfAny },
  },
});

const memory = graph({
  title: 'GPU memory',
  description: 'Of all GPUs: what is allocated, below what they have.',
  family: GPU,
  ofFleet: true,
  width: 8,
  unit: 'mbytes',
  min: 0,
  queries: [range(`sum(${USED})`, 'In use'), range(`sum(${USED}) + sum(${FREE})`, 'Installed')],
  looks: { 'In use': { color: 'blue', fill: 15 }, Installed: { color: 'text' } },
});

const power = graph({
  title: 'Power',
  description: 'Drawn by all GPUs together, without the machines around them.',
  family: GPU,
  ofFleet: true,
  width: 8,
  unit: 'watt',
  min: 0,
  queries: [range(`sum(${POWER})`, 'All GPUs')],
});

const temperature = graph({
  title: 'Temperature',
  description: 'The hottest GPU, and the average. GPUs slow themselves down at about 87 °C.',
  family: GPU,
  ofFleet: true,
  width: 8,
  unit: 'celsius',
  queries: [range(`max(${TEMPERATURE})`, 'Hottest'), range(`avg(${TEMPERATURE})`, 'Average')],
  looks: { Hottest: { color: 'orange' }, Average: { color: 'blue' } },
});

const nodes = list({
  title: 'Nodes',
  description: 'Every node with averages over its GPUs, least busy first. Click a node for its own dashboard.',
  family: GPU,
  width: 24,
  height: 10,
  queries: [
    rows(byNode('avg', UTIL, 'cluster_id')),
    rows(byNode('avg', TENSOR, 'cluster_id')),
    rows(byNode('avg', `${USED} / (${USED} + ${FREE})`, 'cluster_id')),
    rows(byNode('sum', POWER, 'cluster_id')),
    rows(byNode('max', TEMPERATURE, 'cluster_id')),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    cluster_id: { title: 'Cluster' },
    'Value #A': {
      title: 'Utilisation',
      unit: 'percent',
      decimals: 0,
      min: 0,
      max: 100,
      cell: 'gauge',
      steps: badBelow(30, 60),
    },
    'Value #B': {
      title: 'Tensor cores active',
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      cell: 'gauge',
      steps: neutral,
    },
    'Value #C': {
      title: 'Memory used',
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      cell: 'gauge',
      steps: neutral,
    },
    'Value #D': { title: 'Power', unit: 'watt', decimals: 1, width: 110 },
    'Value #E': { title: 'Hottest GPU', unit: 'celsius', width: 120, cell: 'color-text', steps: HEAT },
  },
  sortBy: 'Utilisation',
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
    variables: [host(), clusters()],
    annotated: [utilisation, activity, curves],
    sections: [
      { panels: [now, utilisation, activity, jobLanes] },
      { title: 'Worth a look', panels: [stragglers, xid] },
      { title: 'Load', panels: [memory, power, temperature, nodes] },
      { title: 'Fine-tuning', panels: [curves] },
    ],
  });
