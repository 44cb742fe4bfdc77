import type { PlacementFormat, PlacementQuery } from '../../src/types/placement/query.ts';
import { board } from '../lib/board.ts';
import { badAbove, percent, shareGauge, type Look } from '../lib/display.ts';
import { LISTS, PLACES } from '../lib/missing.ts';
import { CLUSTER } from '../lib/findings.ts';
import { toNode } from '../lib/links.ts';
import { facts, graph, list, type Panel } from '../lib/panels.ts';
import { EVERYTHING, inPools } from '../lib/quantities.ts';
import { listOf, range } from '../lib/queries.ts';
import { locations, products, text } from '../lib/variables.ts';

const CHOSEN: Omit<PlacementQuery, 'refId' | 'format'> = {
  queryType: 'placement',
  gpus: '$gpus',
  types: ['$product'],
  locations: ['$location'],
};

const as = (format: PlacementFormat) => [{ ...CHOSEN, format }];

const BOUNDS =
  'Capacities are what the platform has left, quotas what the project may still take of it, and own nodes are free where no kernel ran on any GPU for five minutes, no memory is held, and no pod or job has one.';

const room = facts({
  title: 'Is there room?',
  description: `Whether the GPUs wanted fit into one place, and where. ${BOUNDS} It is a yes only if all three are known; “perhaps” says what is not.`,
  missing: PLACES,
  unit: 'string',
  queries: as('answer'),
});

/** A sentence in large letters, colored by the word that it begins with. */
const answer: Panel = {
  ...room,
  options: { ...room.options, reduceOptions: { fields: '/^answer$/' }, textMode: 'value' },
  fieldConfig: {
    ...room.fieldConfig!,
    defaults: {
      ...room.fieldConfig!.defaults,
      mappings: Object.entries({ Yes: 'green', Perhaps: 'orange', No: 'red' }).map(([word, color], index) => ({
        type: 'regex',
        options: { pattern: `^${word}\\b.*`, result: { color, index } },
      })),
    },
  },
};

const ENOUGH: Look = {
  title: 'Enough',
  width: 85,
  words: {
    yes: { text: 'yes', color: 'green' },
    unknown: { text: 'perhaps', color: 'orange' },
    no: { text: 'no', color: 'red' },
  },
  cell: 'color-text',
};

const places = list({
  title: 'Places, the best first',
  description: `Every GPU type at every location, and own node pools: own nodes first, because they are paid for, then most GPUs first. ${BOUNDS} Machines of different sizes are cut from the same GPUs, so the size that gives most counts. The sign in the corner says what could not be considered.`,
  missing: PLACES,
  height: 9,
  queries: as('table'),
  columns: {
    enough: ENOUGH,
    gpus: { title: 'GPUs possible', unit: 'locale', width: 110 },
    type: { title: 'GPU', width: 150, wrap: true },
    source: { title: 'On', width: 120 },
    location: { title: 'Location', width: 130 },
    node_pool: { title: 'Node pool', width: 165, wrap: true },
    machines: { title: 'As', width: 120 },
    capacity: { title: 'Capacity', unit: 'locale', width: 85 },
    quota_left: { title: 'Quota left', unit: 'locale', width: 90 },
    reason: { title: 'Why not', minWidth: 180, wrap: true },
  },
});

const idle = list({
  title: 'Free GPUs of own nodes',
  description:
    'In use by no kernel for five minutes, held by no process, and allocated to no pod and no job as far as metrics say: nodes that are idle, which are places above, and others of which some GPUs are free. Of a node with jobs of Slurm it is not known which. Nodes that are drained, faulty or no longer reporting are left out. Where Slurm only counts its idle nodes, one row has all of a pool, and names those of which they are some.',
  missing: 'no own GPU of the chosen types is free for certain: the places above say of which nodes it is not known.',
  height: 7,
  queries: as('nodes'),
  columns: {
    node: { title: 'Node', link: toNode(true), minWidth: 120 },
    gpus: { title: 'GPUs', unit: 'locale', width: 65, total: true },
    type: { title: 'GPU', width: 195 },
    nodepool_name: { title: 'Node pool', minWidth: 100 },
    state: { title: 'State', minWidth: 110, wrap: true },
    cluster_id: CLUSTER,
  },
});

const quotas = list({
  title: 'Quotas of the project',
  description:
    'How much of each quota is used, in the quota’s own unit: GPUs, jobs, load balancers, bytes. Quotas of 0 are left out.',
  missing: LISTS,
  queries: [listOf('/v1/projects/{projectId}/quotas')],
  without: { limit: 0 },
  computed: { share: ['used', '/', 'limit'], left: ['limit', '-', 'used'] },
  columns: {
    name: { title: 'Quota', minWidth: 200 },
    location: { title: 'Location', width: 100 },
    share: shareGauge('Used', badAbove(0.8, 0.95)),
    left: { title: 'Left', unit: 'sishort', width: 70 },
    unit: { title: 'Unit', width: 115 },
  },
  sortBy: 'Used',
});

const pools = list({
  title: 'Node pools',
  description: 'Nodes that are ready, next to those there should be.',
  missing: LISTS,
  queries: [listOf('/v1/projects/{projectId}/kubernetes/nodepools')],
  computed: { ready: ['ready_count', '/', 'node_count'] },
  columns: {
    name: { title: 'Name', minWidth: 100 },
    node_count: { title: 'Nodes', width: 70 },
    ready: percent('Ready', 70),
  },
});

const trend = graph({
  title: 'GPUs in use by node pool, means of days',
  description:
    'How many GPUs of each pool run a kernel, on average: one that does for half of the day counts as half. Gray: how many there are. A pool whose line comes close to that needs GPUs, one that stays far below has some to spare.',
  past: '30d',
  interval: '1d',
  legend: 'table',
  unit: 'locale',
  decimals: 0,
  queries: [
    range(inPools('usedGpus', EVERYTHING), '{{pool}}, in use'),
    range(inPools('gpus', EVERYTHING), '{{pool}}, all'),
  ],
  looksLike: { '/, all$/': { color: 'gray' } },
});

/** States in which a machine takes no work. */
const OUT_OF_SERVICE = ['drained', 'draining', 'stopped', 'error', 'failed', 'degraded', 'down', 'maintenance'];

const outOfService = list({
  title: 'Machines out of service',
  description:
    'Machines of the project that are drained, stopped, failed or in maintenance: they have no load and are not idle.',
  missing: 'no machine of the project is drained, stopped, failed or in maintenance.',
  queries: [
    listOf('/v1/projects/{projectId}/compute/vms/instances', { filterMember: 'state', filterValues: OUT_OF_SERVICE }),
  ],
  columns: {
    name: { title: 'Machine', minWidth: 110, link: toNode(true, 'name') },
    cluster_id: CLUSTER,
    state: { title: 'State', width: 90 },
    nodepool_name: { title: 'Node pool', width: 110 },
    location: { title: 'Location', width: 100 },
  },
});

export const capacity = board({
  uid: 'gpucloud-capacity',
  title: 'Capacity',
  question: 'Can it run?',
  description: 'Where a number of GPUs can run now; quotas, machines out of service, node pools and their trend.',
  refresh: '5m',
  from: 'now-1h',
  variables: [text('gpus', 'GPUs wanted', '16'), products(), locations()],
  sections: [
    { panels: [answer, places, idle] },
    {
      title: 'The project, whatever is wanted',
      panels: [
        [quotas, outOfService],
        [pools, trend],
      ],
    },
  ],
});
