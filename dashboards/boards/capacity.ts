import { READY_MADE_LISTS } from '../../src/catalog/lists.ts';
import { board } from '../lib/board.ts';
import { MACHINE_STATES, plain, type Look } from '../lib/display.ts';
import { LISTS } from '../lib/families.ts';
import { list, type ListSpec } from '../lib/panels.ts';
import type { Query } from '../lib/queries.ts';
import { locations, products, text } from '../lib/variables.ts';

/** A ready-made list of the query editor, as a table of some of its columns. */
function listed(
  name: string,
  description: string,
  width: number,
  columns: Record<string, Look>,
  more: Partial<ListSpec> & { root?: string } = {}
) {
  const found = READY_MADE_LISTS.find((one) => one.name === name);
  if (!found) {
    throw new Error(`There is no list ${name}.`);
  }
  const query: Query = {
    queryType: 'platform',
    path: found.path,
    root: more.root ?? '$.items',
    params: found.params ?? [],
    columns: found.columns,
  };
  return list({ title: name, description, family: LISTS, width, queries: [query], columns, ...more });
}

const CHOSEN = { productNames: ['$product'], locations: ['$location'] };

const NONE = { ...LISTS, missing: 'the platform has none of the chosen products at the chosen locations.' };

const gpus = list({
  title: 'GPUs in one place',
  description:
    'GPUs that can be had of each kind at each location, and whether they are as many as are needed, which is chosen above. Machines of different sizes are cut from the same GPUs, so each GPU counts once, in the size that gives most. How many GPUs a machine has is the number before the x at the end of its name; other products are left out. The quota must leave as many, too.',
  family: NONE,
  width: 12,
  height: 10,
  queries: [{ queryType: 'capacities', format: 'gpus', gpusNeeded: '$gpus', ...CHOSEN }],
  columns: {
    gpu: { title: 'GPU', width: 75 },
    location: { title: 'Location', minWidth: 95 },
    gpus: { title: 'GPUs', width: 70, total: true },
    machines: { title: 'As machines', minWidth: 110 },
    enough: {
      title: 'Enough',
      width: 75,
      words: { yes: { text: 'yes', color: 'green' }, no: { text: 'no', color: 'red' } },
      cell: 'color-text',
      steps: plain,
    },
  },
});

const machines = list({
  title: 'Machines',
  description:
    'How many machines of each type can be had, most first. They share GPUs: a machine of eight that is taken is eight of one less.',
  family: NONE,
  width: 12,
  height: 10,
  queries: [{ queryType: 'capacities', format: 'table', ...CHOSEN }],
  columns: { type: { title: 'Product' }, location: { title: 'Location' }, quantity: { title: 'Available' } },
  sortBy: 'Available',
});

const quotas = (title: string, width: number, root: string, unit: Look['unit'], description: string) =>
  listed(
    'Quotas',
    description,
    width,
    {
      name: { title: 'Quota', minWidth: 165 },
      location: { title: 'Location', width: 95 },
      left: { title: 'Left', unit, width: 65 },
      limit: { title: 'Limit', unit, width: 65 },
      used: { title: 'Used', unit, width: 65 },
    },
    { title, root, height: 10, computed: { left: ['limit', '-', 'used'] } }
  );

const named: Record<string, Look> = {
  name: { title: 'Name', minWidth: 140 },
  state: { title: 'State', width: 80, words: MACHINE_STATES, cell: 'color-text', steps: plain },
};

export const capacity = () =>
  board({
    uid: 'gpucloud-capacity',
    title: 'Capacity and quotas',
    description:
      'What can be had, what the project may have, and what it has. From the main API, which needs an access key.',
    annotated: 'never',
    from: 'now-24h',
    variables: [products(), locations(), text('gpus', 'GPUs needed', '64')],
    sections: [
      {
        panels: [
          gpus,
          quotas(
            'Quotas: what is left',
            12,
            "$.items[?(@.unit != 'bytes')]",
            'none',
            'What the project may still take of each quota, in the quota’s own unit: GPUs, jobs, load balancers.'
          ),
          machines,
          quotas(
            'Quotas of storage: what is left',
            12,
            "$.items[?(@.unit == 'bytes')]",
            'bytes',
            'What the project may still take of each quota that is counted in bytes.'
          ),
        ],
      },
      {
        title: 'The project',
        panels: [
          listed('VM instances', 'The project’s virtual machines.', 12, {
            ...named,
            type: { title: 'Type', width: 80 },
            location: { title: 'Location', width: 95 },
            gpus: { title: 'GPUs', width: 60 },
          }),
          listed('Kubernetes clusters', 'The project’s container clusters.', 12, {
            ...named,
            version: { title: 'Version', width: 90 },
            node_count: { title: 'Nodes', width: 75 },
          }),
          listed('Node pools', 'Nodes that are ready, next to those there should be.', 12, {
            ...named,
            type: { title: 'Type', width: 80 },
            node_count: { title: 'Nodes', width: 75 },
            ready_count: { title: 'Ready', width: 75 },
          }),
          listed('Slurm clusters', 'The project’s Slurm clusters.', 12, {
            ...named,
            nodes_idle: { title: 'Idle', width: 65 },
            nodes_down: { title: 'Down', width: 65 },
            jobs_pending: { title: 'Pending', width: 85 },
          }),
          listed('Disks', 'Shared and persistent disks.', 12, {
            ...named,
            type: { title: 'Type', width: 80 },
            size_bytes: { title: 'Size', unit: 'bytes', width: 90 },
          }),
          listed('Load balancers', 'The project’s load balancers.', 12, {
            ...named,
            address: { title: 'Address', width: 130 },
            backend_count: { title: 'Backends', width: 90 },
          }),
          listed(
            'Organization usage',
            'GPU-hours that were paid for in the time range, and those in which GPUs computed.',
            24,
            {
              start_time: { title: 'From', width: 165 },
              nodepool_name: { title: 'Node pool' },
              type: { title: 'Type' },
              gpu_hours: { title: 'GPU-hours', decimals: 1 },
              gpu_hours_active: { title: 'Of them active', decimals: 1 },
            }
          ),
        ],
      },
    ],
  });
