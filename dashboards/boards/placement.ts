import type { PlacementFormat, PlacementQuery } from '../../src/platform/query.ts';
import { board } from '../lib/board.ts';
import { badBelow, plain, type Look } from '../lib/display.ts';
import { IDLE_NODES, NODE_HISTORY, PLACES } from '../lib/families.ts';
import { toNodeOfRun } from '../lib/links.ts';
import { facts, list } from '../lib/panels.ts';
import { sentence } from '../lib/sentence.ts';
import { anyLocation, gpuTypes, text } from '../lib/variables.ts';

const CHOSEN: Omit<PlacementQuery, 'refId' | 'format'> = {
  queryType: 'placement',
  gpus: '$gpus',
  types: ['$gpu_type'],
  locations: ['$location'],
};

const as = (format: PlacementFormat) => [{ ...CHOSEN, format }];

const BOUNDS =
  'Capacities are what the platform has left, quotas what the project may still take of it, and own nodes are idle where no kernel ran on any GPU for five minutes and no memory is held.';

const answer = sentence(
  {
    title: 'Is there room?',
    description: `Whether the GPUs wanted fit into one place, and where. ${BOUNDS} It is a yes only if all three are known; “perhaps” says what is not.`,
    family: PLACES,
    width: 18,
    height: 5,
    queries: as('answer'),
  },
  'answer',
  { Yes: 'green', Perhaps: 'yellow', No: 'red' }
);

const total = facts({
  title: 'All places together',
  description:
    'How many GPUs of each type can be had in all places, within the quotas that they share. Places whose quota is not known don’t count here. A job that needs its GPUs side by side can’t use that. An error if quotas are not known.',
  family: PLACES,
  width: 6,
  height: 5,
  unit: 'none',
  queries: as('total'),
});

const ENOUGH: Look = {
  title: 'Enough',
  width: 85,
  words: {
    yes: { text: 'yes', color: 'green' },
    unknown: { text: 'perhaps', color: 'yellow' },
    no: { text: 'no', color: 'red' },
  },
  cell: 'color-text',
  steps: plain,
};

const options = list({
  title: 'Places, the best first',
  description: `Every GPU type at every location, and own node pools: own nodes first, because they are paid for, then most GPUs first. ${BOUNDS} Machines of different sizes are cut from the same GPUs, so the size that gives most counts. The sign in the corner says what could not be considered.`,
  family: PLACES,
  width: 24,
  height: 11,
  queries: as('table'),
  columns: {
    enough: ENOUGH,
    gpus: { title: 'GPUs possible', width: 110 },
    type: { title: 'GPU', width: 90 },
    source: { title: 'On', width: 120 },
    location: { title: 'Location', width: 130 },
    node_pool: { title: 'Node pool', minWidth: 150 },
    machines: { title: 'As', width: 120 },
    capacity: { title: 'Capacity', width: 85 },
    quota_left: { title: 'Quota leaves', width: 105 },
    reason: { title: 'Why not', minWidth: 260, wrap: true },
  },
});

const nodes = list({
  title: 'Own nodes that are idle',
  description:
    'Nodes of which nothing uses a GPU. Slurm counts its nodes by state and does not name them, so of several idle nodes some may be drained. A scheduler can have reserved an idle node: metrics do not show that.',
  family: IDLE_NODES,
  width: 12,
  height: 12,
  queries: as('nodes'),
  columns: {
    node: { title: 'Node', link: toNodeOfRun, minWidth: 130 },
    gpus: { title: 'GPUs', width: 65, total: true },
    type: { title: 'GPU', width: 75 },
    nodepool_name: { title: 'Node pool', minWidth: 100 },
    state: { title: 'State', minWidth: 120, wrap: true },
    cluster_id: { title: 'Cluster', width: 100 },
  },
});

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const share: Look = { unit: 'percentunit', decimals: 0, width: 65, cell: 'color-text', steps: badBelow(0.25, 0.75) };

const hours = list({
  title: 'When own nodes usually have room',
  description:
    'In how many of the past four weeks one node pool had the GPUs wanted idle, by hour of the week in UTC. Nodes that were drained then count as idle. The platform has no history of capacities.',
  family: NODE_HISTORY,
  width: 12,
  height: 12,
  queries: as('hours'),
  columns: { hour: { title: 'UTC', width: 65 }, ...Object.fromEntries(DAYS.map((day) => [day, share])) },
});

export const placement = () =>
  board({
    uid: 'gpucloud-placement',
    title: 'Where to run',
    description:
      'Where a number of GPUs can run now: on own idle nodes, or on machines that capacities and quotas allow. From the main API and the metrics; either does without the other.',
    annotated: 'never',
    from: 'now-1h',
    variables: [text('gpus', 'GPUs wanted', '16'), gpuTypes(), anyLocation()],
    sections: [{ panels: [answer, total, options] }, { title: 'Own nodes', panels: [nodes, hours] }],
  });
