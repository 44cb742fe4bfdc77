import { listAt } from '../../src/catalog/lists.ts';
import { board } from '../lib/board.ts';
import { badAbove, badBelow, neutral, STATUSES } from '../lib/display.ts';
import { GPU, JOBS, LISTS } from '../lib/families.ts';
import { graph, list } from '../lib/panels.ts';
import { anywhere, eachName, over, vendor } from '../lib/promql.ts';
import { range, rows } from '../lib/queries.ts';
import { prefix } from '../lib/variables.ts';

/** One metric for each family, with the seconds in which a sample is due. */
const FAMILIES: Array<[family: string, metric: string, every: number]> = [
  ['GPU', anywhere('DCGM_FI_DEV_GPU_UTIL'), 60],
  ['GPU profiling', anywhere('DCGM_FI_PROF_SM_ACTIVE'), 60],
  ['Rollups', vendor('node:node_gpu_utilization:ratio_avg_1m'), 60],
  ['Node', vendor('vm_memory_used_bytes'), 60],
  ['InfiniBand', vendor('ib_port_line_rate'), 300],
  ['Shared disks', vendor('sdisk_capacity_used_bytes'), 300],
  ['Local NVMe', vendor('vm_nvme_percentage_used'), 60],
  ['Disks', vendor('vm_disk_bytes_used'), 60],
  ['Object storage', vendor('vm_objectstore_connections_total'), 60],
  ['Load balancer', vendor('elb_active_flows'), 30],
  ['Slurm', vendor('slurm_nodes'), 60],
];

/** Series of many names: they can be counted, but PromQL can't take their ages, which would all have the same labels. */
const COUNTED: typeof FAMILIES = [...FAMILIES, ['Custom', '{metrics_source="custom-metrics"}', 60]];

/** One expression for all families, distinguished by the label `family`: one request instead of one for each. */
const each = (expr: (metric: string, every: number) => string, families = FAMILIES): string =>
  families
    .map(([family, metric, every]) => `label_replace(${expr(metric, every)}, "family", "${family}", "", "")`)
    .join(' or ');

/**
 * When a family's newest sample was taken. A query sees samples of the past five minutes only; where there is none, it
 * is looked for in steps through the past hour.
 */
const newest = (metric: string): string => {
  const seen = `max(${eachName(metric, (one) => `timestamp(${one})`)})`;
  return `${seen} or max_over_time(${seen}[1h:5m])`;
};

const MISSING =
  'the platform has no series of any family: check the monitoring token and the project id with Save & test.';
const METRICS = { ...GPU, missing: MISSING };

const families = list({
  title: 'Metric families',
  description:
    'How many series each family has, how old its newest sample is, and how much of what was due in the past hour has come. A family without series isn’t collected here: its dashboards are empty, and that is not an error.',
  family: METRICS,
  width: 24,
  height: 14,
  queries: [
    rows(each((metric) => `(count(${metric}) or vector(0))`, COUNTED)),
    rows(each((metric) => `(time() - (${newest(metric)}))`)),
    rows(each((metric, every) => `(avg(${over('count_over_time', metric, '1h')}) / ${3600 / every})`)),
  ],
  columns: {
    family: { title: 'Family' },
    'Value #A': {
      title: 'Series',
      unit: 'short',
      decimals: 0,
      cell: 'color-text',
      steps: neutral,
      words: { 0: { text: 'not collected here', color: 'text' } },
    },
    'Value #B': {
      title: 'Age of the newest sample',
      unit: 's',
      decimals: 0,
      cell: 'color-text',
      steps: badAbove(330, 600),
    },
    'Value #C': {
      title: 'Samples of the past hour',
      unit: 'percentunit',
      decimals: 0,
      cell: 'color-text',
      steps: badBelow(0.8, 0.95),
    },
  },
});

const count = graph({
  title: 'Series',
  description: 'How many series each family has. A drop is a node, a port or an agent that is gone.',
  family: { ...METRICS, interval: '5m' },
  width: 24,
  unit: 'short',
  min: 0,
  queries: [
    range(
      each((metric) => `count(${metric})`, COUNTED),
      '{{family}}'
    ),
  ],
});

const gateway = list({
  title: 'Tuning gateway: jobs, the newest report first',
  description: 'Shows whether the gateway responds. An error here names what it refused.',
  family: { ...JOBS, missing: 'the gateway has no jobs in this time range.' },
  width: 12,
  height: 9,
  queries: [{ queryType: 'fineTuningJobs', format: 'table' }],
  columns: {
    name: { title: 'Job' },
    status: { title: 'Status', words: STATUSES, cell: 'color-text' },
    last_report: { title: 'Last report' },
  },
  sortBy: 'Last report',
});

/** A list that is short on any platform. */
const TYPES = listAt('/v1/projects/{projectId}/compute/vms/types')!;

const main = list({
  title: 'Main API: types of machines',
  description: 'Shows whether signed requests are accepted. An error here names what was refused.',
  family: LISTS,
  width: 12,
  height: 9,
  queries: [
    {
      queryType: 'platform',
      path: TYPES.path,
      root: 'items',
      params: [],
      columns: TYPES.columns,
    },
  ],
  columns: { product_name: { title: 'Type' }, gpu_type: { title: 'GPU' }, num_gpu: { title: 'GPUs' } },
});

export const health = () =>
  board({
    uid: 'gpucloud-health',
    title: 'Health of the data source',
    question: 'Can I trust what I see?',
    description:
      'Whether each of the three services responds, which metric families are collected, and how fresh they are.',
    refresh: '5m',
    from: 'now-3h',
    variables: [prefix()],
    sections: [
      { panels: [families, count] },
      { title: 'Other services', panels: [gateway, main] },
    ],
  });
