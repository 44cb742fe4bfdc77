import type { Column } from './query';

/** The list that a new query has, which is small and worth an alert. Apart from the others, so that panels don't load those. */
export const QUOTAS: { path: string; columns: Column[]; alertOn: string[] } = {
  path: '/v1/projects/{projectId}/quotas',
  alertOn: ['name', 'location', 'used'],
  columns: [
    { selector: 'name', type: 'string' },
    { selector: 'location', type: 'string' },
    { selector: 'unit', type: 'string' },
    { selector: 'limit', type: 'number' },
    { selector: 'used', type: 'number' },
  ],
};
