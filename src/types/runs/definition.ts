import type { RunsQuery } from './query';
import type { Definition } from '../definition';
import { newSource, sourceIsBlank } from '../runSource';

/** Alert rules are about one measure. */
const NEW_MEASURE = 'gpu_hours';

export const runs: Definition<RunsQuery> = {
  service: 'runs',
  label: 'Measures',
  description: 'A row for each run: GPU-hours, utilization, energy, cost, …',
  options: {
    measures: 'list',
    source: 'source',
    runs: 'list',
    selector: 'runPromql',
    baseline: 'text',
    format: 'text',
  },
  inAlerts: true,
  blank: ({ settings, alerting }) => ({
    source: newSource(settings),
    ...(alerting && { format: 'number', measures: [NEW_MEASURE] }),
  }),
  isBlank: ({ source }) => sourceIsBlank(source),
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
