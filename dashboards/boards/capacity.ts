import { READY_MADE_LISTS } from '../../src/catalog/lists.ts';
import { board } from '../lib/board.ts';
import { plain, type Look } from '../lib/display.ts';
import { LISTS } from '../lib/families.ts';
import { bars, list } from '../lib/panels.ts';
import type { Query } from '../lib/queries.ts';
import { locations, products } from '../lib/variables.ts';

const STATES: Look['words'] = Object.fromEntries(
  [
    ['green', 'running', 'ready', 'active', 'available', 'attached'],
    ['yellow', 'creating', 'updating', 'pending', 'provisioning', 'stopped', 'drained'],
    ['red', 'error', 'failed', 'degraded'],
  ].flatMap(([color, ...states]) => states.map((state) => [state, { text: state, color }]))
);

/** A ready-made list of the query editor, as a table of some of its columns. */
function listed(name: string, description: string, width: number, columns: Record<string, Look>) {
  const found = READY_MADE_LISTS.find((one) => one.name === name);
  if (!found) {
    throw new Error(`There is no list ${name}.`);
  }
  const query: Query = {
    queryType: 'platform',
    path: found.path,
    root: '$.items',
    params: found.params ?? [],
    columns: found.columns,
  };
  return list({ title: name, description, family: LISTS, width, queries: [query], columns });
}

const CHOSEN = { productNames: ['$product'], locations: ['$location'] };

const available = bars({
  title: 'Available now',
  description: 'How much of each product can be had at each location. The label is the product, then the location.',
  family: { ...LISTS, missing: 'The platform has none of the chosen products at the chosen locations.' },
  width: 12,
  height: 10,
  unit: 'none',
  min: 0,
  queries: [{ queryType: 'capacities', format: 'number', ...CHOSEN }],
});

const table = list({
  title: 'Capacities',
  description: 'The same as a table, most first.',
  family: { ...LISTS, missing: 'The platform has none of the chosen products at the chosen locations.' },
  width: 12,
  height: 10,
  queries: [{ queryType: 'capacities', format: 'table', ...CHOSEN }],
  columns: { type: { title: 'Product' }, location: { title: 'Location' }, quantity: { title: 'Available' } },
  sortBy: 'Available',
});

const named: Record<string, Look> = {
  name: { title: 'Name' },
  state: { title: 'State', words: STATES, cell: 'color-text', steps: plain },
};

export const capacity = () =>
  board({
    uid: 'gpucloud-capacity',
    title: 'Capacity and quotas',
    description:
      'What can be had, what the project may have, and what it has. From the main API, which needs an access key.',
    annotated: 'never',
    from: 'now-24h',
    variables: [products(), locations()],
    sections: [
      { panels: [available, table] },
      {
        title: 'The project',
        panels: [
          listed('Quotas', 'What the project may have, and what of it is in use.', 12, {
            name: { title: 'Quota' },
            location: { title: 'Location', width: 120 },
            unit: { title: 'Unit', width: 130 },
            limit: { title: 'Limit', unit: 'sishort', width: 80 },
            used: { title: 'Used', unit: 'sishort', width: 80 },
          }),
          listed('VM instances', 'The project’s virtual machines.', 12, {
            ...named,
            type: { title: 'Type' },
            location: { title: 'Location' },
            gpus: { title: 'GPUs', width: 80 },
          }),
          listed('Kubernetes clusters', 'The project’s container clusters.', 12, {
            ...named,
            version: { title: 'Version' },
            node_count: { title: 'Nodes' },
          }),
          listed('Node pools', 'Nodes that are ready, next to those there should be.', 12, {
            ...named,
            type: { title: 'Type' },
            node_count: { title: 'Nodes' },
            ready_count: { title: 'Ready' },
          }),
          listed('Slurm clusters', 'The project’s Slurm clusters.', 12, {
            ...named,
            nodes_idle: { title: 'Idle nodes' },
            nodes_down: { title: 'Down' },
            jobs_pending: { title: 'Pending jobs' },
          }),
          listed('Disks', 'Shared and persistent disks.', 12, {
            ...named,
            type: { title: 'Type' },
            size_bytes: { title: 'Size', unit: 'bytes' },
          }),
          listed('Load balancers', 'The project’s load balancers.', 12, {
            ...named,
            address: { title: 'Address' },
            backend_count: { title: 'Backends' },
          }),
          listed(
            'Organization usage',
            'GPU hours that were paid for in the time range, and those in which GPUs computed.',
            12,
            {
              start_time: { title: 'From' },
              nodepool_name: { title: 'Node pool' },
              type: { title: 'Type' },
              gpu_hours: { title: 'GPU hours', decimals: 1 },
              gpu_hours_active: { title: 'Of them active', decimals: 1 },
            }
          ),
        ],
      },
    ],
  });
