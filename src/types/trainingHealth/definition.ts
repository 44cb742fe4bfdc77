import type { FindingKind, TrainingHealthQuery } from './query';
import type { Definition } from '../definition';
import { JOB_FILTERS, JOB_OPTIONS } from '../jobFilters';
import { USUAL_EXPR } from './usualExpr';

/** What an alert rule is about at first: what is to be stopped. Its threshold fits all of these. */
const NEW_FINDINGS: FindingKind[] = ['notFinite', 'diverging', 'stalled'];

export const trainingHealth: Definition<TrainingHealthQuery> = {
  service: 'training',
  label: 'Training health',
  description: 'What is wrong with training runs, since when, and when they will finish',
  options: { expr: 'promql', format: 'text', ...JOB_FILTERS, metrics: 'list', findings: 'list' },
  inAlerts: true,
  blank: ({ settings, alerting }) => ({
    ...(!settings.intelligenceUrl && { expr: USUAL_EXPR }),
    ...(alerting && { format: 'number', findings: NEW_FINDINGS }),
  }),
  ignored: ({ expr, format = 'table' }) => [
    ...(expr ? ([...JOB_OPTIONS, 'metrics'] as const) : []),
    ...(format === 'number' || format === 'annotations' ? [] : (['findings'] as const)),
  ],
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
