import { board } from '../lib/board.ts';
import { badBelow, HEAT, MACHINE_STATES, neutral, plain, shareGauge, type Look } from '../lib/display.ts';
import { LISTS, NODE, ROLLUP } from '../lib/families.ts';
import { toNode } from '../lib/links.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { average, inCluster, rate, vendor, withNode } from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { clusters, host, prefix } from '../lib/variables.ts';

const rollup = (name: string) => inCluster(vendor(`node:node_gpu_${name}`));
const UTIL = rollup('utilization:ratio_avg_1m');
const MEMORY = rollup('memory_utilization:ratio_avg_1m');
const TEMPERATURE = rollup('temperature:p95_1m');
const POWER = rollup('power:p95_1m');
const CPU = vendor('vm_cpu_seconds_total');
const RAM_USED = inCluster(vendor('vm_memory_used_bytes'));
const RAM = inCluster(vendor('vm_memory_total_bytes'));

const now = numbers({
  description:
    'The cluster’s nodes, from the rollups that the platform records for each node every minute. A node that is drained has no load, either; how many are drained is what Slurm says, over all Slurm clusters.',
  family: ROLLUP,
  width: 24,
  unit: 'locale',
  queries: [
    instant(`count(${UTIL})`, 'Nodes'),
    instant(`avg(${UTIL})`, 'GPU utilization'),
    instant(`avg(${MEMORY})`, 'GPU memory used'),
    instant(`max(${TEMPERATURE})`, 'Hottest node'),
    instant(`count(${UTIL} < 0.05) or 0 * count(${UTIL})`, 'Idle or drained'),
    instant(`sum(${vendor('slurm_nodes_drain')})`, 'Drained, by Slurm'),
    instant(`sum(${RAM_USED}) / sum(${RAM})`, 'Memory used'),
  ],
  looks: {
    'GPU utilization': { unit: 'percentunit', decimals: 0, steps: badBelow(0.3, 0.6) },
    'GPU memory used': { unit: 'percentunit', decimals: 0, steps: neutral },
    'Hottest node': { unit: 'celsius', decimals: 0, steps: HEAT },
    'Memory used': { unit: 'percentunit', decimals: 0, steps: neutral },
  },
});

/** The middle of a rollup over all nodes, and where nine of ten lie. */
const spread = (title: string, description: string, rollupOf: string, unit: string, max?: number) =>
  graph({
    title,
    description,
    family: ROLLUP,
    ofFleet: true,
    width: 12,
    unit,
    max,
    min: max === undefined ? undefined : 0,
    queries: [
      range(`quantile(0.5, ${average(rollupOf)})`, 'Median node'),
      range(`quantile(0.95, ${average(rollupOf)})`, '95th percentile'),
      range(`quantile(0.05, ${average(rollupOf)})`, '5th percentile'),
    ],
    looks: {
      'Median node': { color: 'green', lineWidth: 2 },
      '95th percentile': { color: 'semi-dark-green', fillTo: '5th percentile', lineWidth: 0 },
      '5th percentile': { color: 'semi-dark-green', lineWidth: 0 },
    },
  });

const pools = graph({
  title: 'GPU utilization by node pool',
  description: 'Average over the nodes of each pool. A pool at the bottom is paid for and not used.',
  family: ROLLUP,
  ofFleet: true,
  width: 12,
  unit: 'percentunit',
  min: 0,
  max: 1,
  queries: [range(`avg by (nodepool_name) (${average(UTIL)})`, '{{nodepool_name}}')],
});

const power = graph({
  title: 'Power of one GPU, by node pool',
  description:
    'What one GPU draws, at the 95th percentile of its node, on average over the nodes of each pool. It is not a total.',
  family: ROLLUP,
  ofFleet: true,
  width: 12,
  unit: 'watt',
  min: 0,
  queries: [range(`avg by (nodepool_name) (${average(POWER)})`, '{{nodepool_name}}')],
});

const node: Look = { title: 'Node', link: toNode(true), width: 150 };

const idlest = list({
  title: 'Least busy nodes',
  description:
    'GPU utilization at the end of the range, of the twelve nodes with the least. A drained node has no load, either: see the machines out of service. Click a node for its own dashboard.',
  family: ROLLUP,
  width: 8,
  height: 12,
  queries: [rows(withNode(`bottomk(12, ${UTIL})`))],
  columns: {
    node,
    Value: shareGauge('GPU utilization', badBelow(0.3, 0.6)),
  },
  sortBy: 'GPU utilization',
  rising: true,
});

/** States in which a machine takes no work. */
const OUT_OF_SERVICE = ['drained', 'draining', 'stopped', 'error', 'failed', 'degraded', 'down', 'maintenance'];

const outOfService = list({
  title: 'Machines out of service',
  description:
    'Machines of the project that are drained, stopped, failed or in maintenance: they have no load and are not idle. From the main API, which needs an access key; it lists machines of every cluster.',
  family: { ...LISTS, missing: 'no machine of the project is drained, stopped, failed or in maintenance.' },
  width: 8,
  height: 12,
  queries: [
    {
      queryType: 'platform',
      path: '/v1/projects/{projectId}/compute/vms/instances',
      root: `$.items[?(${OUT_OF_SERVICE.map((state) => `@.state == '${state}'`).join(' || ')})]`,
      columns: [{ selector: 'name' }, { selector: 'state' }, { selector: 'nodepool_name' }],
    },
  ],
  columns: {
    name: { title: 'Machine', minWidth: 120 },
    state: { title: 'State', width: 75, words: MACHINE_STATES, cell: 'color-text', steps: plain },
    nodepool_name: { title: 'Node pool', width: 95 },
  },
});

const hottest = list({
  title: 'Hottest nodes',
  description: '95th percentile of the temperatures of a node’s GPUs, of the twelve hottest nodes.',
  family: ROLLUP,
  width: 8,
  height: 12,
  queries: [rows(withNode(`topk(12, ${TEMPERATURE})`))],
  columns: {
    node,
    Value: { title: 'Temperature', unit: 'celsius', decimals: 0, min: 20, max: 95, cell: 'gauge', steps: HEAT },
  },
  sortBy: 'Temperature',
});

const cpu = graph({
  title: 'Busy processors by mode',
  description: 'How many processors do what, over all nodes. Much iowait while GPUs are idle: they wait for data.',
  family: NODE,
  ofFleet: true,
  width: 8,
  unit: 'short',
  min: 0,
  stacked: true,
  queries: [range(`sum by (mode) (${rate(inCluster(CPU, 'mode!="idle"'))})`, '{{mode}}')],
});

const memory = graph({
  title: 'Memory of the machines',
  description: 'Memory in use, next to what is installed, over all nodes.',
  family: NODE,
  ofFleet: true,
  width: 8,
  unit: 'bytes',
  min: 0,
  queries: [range(`sum(${average(RAM_USED)})`, 'In use'), range(`sum(${average(RAM)})`, 'Installed')],
});

const network = graph({
  title: 'Ethernet',
  description: 'Received and sent by all nodes. InfiniBand is not in it: see its own dashboard.',
  family: NODE,
  ofFleet: true,
  width: 8,
  unit: 'Bps',
  min: 0,
  queries: [
    range(`sum(${rate(inCluster(vendor('vm_network_receive_bytes_total')))})`, 'Received'),
    range(`sum(${rate(inCluster(vendor('vm_network_transmit_bytes_total')))})`, 'Sent'),
  ],
});

export const cluster = () =>
  board({
    uid: 'gpucloud-cluster',
    title: 'Cluster',
    description:
      'Whole clusters by the rollups that the platform records for each node: fast however many GPUs there are.',
    variables: [prefix(), host(), clusters()],
    sections: [
      {
        panels: [
          now,
          spread(
            'GPU utilization of nodes',
            'The median node, and the band in which nine of ten nodes lie.',
            UTIL,
            'percentunit',
            1
          ),
          spread(
            'GPU memory of nodes',
            'Share of GPU memory in use: the median node, and nine of ten nodes.',
            MEMORY,
            'percentunit',
            1
          ),
          spread(
            'GPU temperature of nodes',
            '95th percentile of a node’s GPUs: the median node, and nine of ten nodes.',
            TEMPERATURE,
            'celsius'
          ),
          spread(
            'Power of one GPU, by node',
            'What one GPU draws, at the 95th percentile of its node: the median node, and nine of ten nodes. The power of all GPUs together is in the GPU overview.',
            POWER,
            'watt'
          ),
          pools,
          power,
          idlest,
          outOfService,
          hottest,
        ],
      },
      { title: 'Machines', panels: [cpu, memory, network] },
    ],
  });
