import type { Column, ColumnType, Param } from '../types/list/query';
import { QUOTAS } from '../types/list/quotas.ts';

/** A list that the main API is known to have, ready to be requested. */
export interface ReadyMadeList {
  name: string;
  description: string;
  /** With `{projectId}` and `{organizationId}`, which the backend fills in from the settings. */
  path: string;
  params?: Param[];
  columns: Column[];
  /**
   * The columns that an alert rule evaluates: one number, and text that names an item for good. A state would make a new
   * alert instance with each change. Only for lists with a number worth an alert.
   */
  alertOn?: string[];
  /** The list as annotations: columns named time, timeEnd, title, text and tags. Only for lists of what happened. */
  events?: Column[];
}

/** Where all lists of the main API keep their items. */
export const ROOT = 'items';

const column = (selector: string, type: ColumnType = 'string', unit?: string): Column =>
  unit ? { selector, type, unit } : { selector, type };
const number = (selector: string, unit?: string) => column(selector, 'number', unit);
const time = (selector: string) => column(selector, 'time');

const IN_RANGE: Param[] = [
  { name: 'start_time', value: '$__timeFrom()' },
  { name: 'end_time', value: '$__timeTo()' },
];

export const AUDIT_LOGS: ReadyMadeList = {
  name: 'Audit logs',
  description: 'Who did what in the organization, within the time range',
  path: '/v1/organizations/{organizationId}/audit-logs',
  params: IN_RANGE,
  columns: [
    time('time'),
    ...['actor', 'action', 'resource_type', 'resource_id', 'result', 'message'].map((name) => column(name)),
  ],
  events: [
    { selector: 'time', type: 'time' },
    { selector: 'end_time', name: 'timeEnd', type: 'time' },
    { selector: 'action', name: 'title', type: 'string' },
    { selector: 'message', name: 'text', type: 'string' },
    { selector: 'result', name: 'tags', type: 'string' },
    { selector: 'id', type: 'string' },
  ],
};

export const READY_MADE_LISTS: ReadyMadeList[] = [
  {
    name: 'Quotas',
    description: 'What the project may have, and what of it is in use',
    ...QUOTAS,
  },
  {
    name: 'Capacities',
    description: 'How many machines of each type are available in each location',
    path: '/v1/capacities',
    alertOn: ['type', 'location', 'quantity'],
    columns: [column('type'), column('location'), number('quantity')],
  },
  {
    name: 'VM instances',
    description: 'The virtual machines of the project',
    path: '/v1/projects/{projectId}/compute/vms/instances',
    columns: [
      ...['name', 'type', 'location', 'state', 'cluster_id', 'nodepool_name'].map((name) => column(name)),
      number('gpus'),
      time('created_at'),
    ],
  },
  {
    name: 'VM types',
    description: 'What machines are on offer',
    path: '/v1/projects/{projectId}/compute/vms/types',
    columns: [
      column('product_name'),
      column('gpu_type'),
      number('num_gpu'),
      number('cpu_cores'),
      number('memory_gb', 'decgbytes'),
    ],
  },
  {
    name: 'Kubernetes clusters',
    description: 'The managed container clusters of the project',
    path: '/v1/projects/{projectId}/kubernetes/clusters',
    alertOn: ['id', 'name', 'node_count'],
    columns: [
      ...['id', 'name', 'location', 'state', 'version'].map((name) => column(name)),
      number('node_count'),
      number('nodepool_count'),
      time('created_at'),
    ],
  },
  {
    name: 'Node pools',
    description: 'The node pools of the clusters',
    path: '/v1/projects/{projectId}/kubernetes/nodepools',
    alertOn: ['id', 'name', 'ready_count'],
    columns: [
      ...['id', 'name', 'cluster_id', 'type', 'state'].map((name) => column(name)),
      number('node_count'),
      number('ready_count'),
      time('created_at'),
    ],
  },
  {
    name: 'Slurm clusters',
    description: 'The managed Slurm clusters of the project',
    path: '/v1/projects/{projectId}/slurm/clusters',
    alertOn: ['id', 'name', 'nodes_down'],
    columns: [
      ...['id', 'name', 'location', 'state', 'version'].map((name) => column(name)),
      ...['node_count', 'nodes_idle', 'nodes_down', 'jobs_running', 'jobs_pending'].map((name) => number(name)),
      time('created_at'),
    ],
  },
  {
    name: 'Disks',
    description: 'The shared and persistent disks of the project',
    path: '/v1/projects/{projectId}/storage/disks',
    alertOn: ['id', 'name', 'size_bytes'],
    columns: [
      ...['id', 'name', 'type', 'location', 'state'].map((name) => column(name)),
      number('size_bytes', 'bytes'),
      time('created_at'),
    ],
  },
  {
    name: 'Load balancers',
    description: 'The load balancers of the project',
    path: '/v1/projects/{projectId}/networking/load-balancers',
    alertOn: ['id', 'name', 'backend_count'],
    columns: [
      ...['id', 'name', 'location', 'state', 'address'].map((name) => column(name)),
      number('backend_count'),
      time('created_at'),
    ],
  },
  {
    name: 'Organization usage',
    description: 'GPU-hours that were paid for, and those in which GPUs computed',
    path: '/v1/organizations/{organizationId}/usage',
    params: IN_RANGE,
    columns: [
      time('start_time'),
      time('end_time'),
      ...['project_id', 'nodepool_name', 'type'].map((name) => column(name)),
      number('gpu_hours'),
      number('gpu_hours_active'),
    ],
  },
  AUDIT_LOGS,
];

/** The ready-made list that a path is of, with any ids. */
export function listAt(path: string): ReadyMadeList | undefined {
  return READY_MADE_LISTS.find((list) => {
    const own = list.path.split('/');
    const requested = path.split('/');
    return (
      own.length === requested.length && own.every((part, index) => part.startsWith('{') || part === requested[index])
    );
  });
}
