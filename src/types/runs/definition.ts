import { t } from '../../i18n';
import type { RunsQuery } from './query';
import type { Definition } from '../definition';
import { newSource, sourceIsBlank, sourceProblem } from '../runSource';

export const runs: Definition<RunsQuery> = {
  service: 'runs',
  label: 'Measures',
  description: 'A row a run: GPU-hours, utilization, energy, cost, …',
  title: 'Runs',
  options: {
    measures: 'list',
    source: 'source',
    runs: 'list',
    selector: 'runPromql',
    custom: 'measures',
    baseline: 'text',
    format: 'text',
  },
  inAlerts: true,
  blank: ({ settings, alerting }) => ({ source: newSource(settings), ...(alerting && { format: 'number' }) }),
  isBlank: ({ source }) => sourceIsBlank(source),
  problem: ({ source, custom = [] }) => {
    const measure = custom.find(({ expr }) => !expr);
    return sourceProblem(source) ?? (measure && t('Enter the PromQL of the measure {{name}}.', { name: measure.name }));
  },
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
