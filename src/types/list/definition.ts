import type { ListQuery } from './query';
import type { Definition } from '../definition';
import { alertColumns } from './alertColumns';
import { QUOTAS } from './quotas';

export const list: Definition<ListQuery> = {
  service: 'mainApi',
  label: 'API list',
  description: 'Any list of the main API: quotas, machines, audit logs, …',
  options: {
    path: 'text',
    params: 'parameters',
    root: 'text',
    columns: 'columns',
    maxPages: 'number',
    timeColumn: 'text',
    filterMember: 'text',
    filterValues: 'list',
  },
  inAlerts: true,
  needs: 'Main API',
  blank: ({ settings, alerting }) =>
    settings.projectId
      ? { path: QUOTAS.path, columns: alerting ? alertColumns(QUOTAS) : QUOTAS.columns }
      : { path: '' },
  isBlank: ({ path }) => !path,
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
