import type { RunComparisonQuery } from './query';
import type { Definition } from '../definition';
import { newSource, sourceIsBlank } from '../runSource';
import { NEW_METRIC } from './metrics';

export const runComparison: Definition<RunComparisonQuery> = {
  service: 'runs',
  label: 'Curves',
  description: 'An expression or a training metric over each run, all on one axis',
  options: {
    metric: 'text',
    expr: 'runPromql',
    source: 'source',
    runs: 'list',
    selector: 'runPromql',
    axis: 'text',
    baseline: 'text',
    difference: 'switch',
    maxRuns: 'number',
  },
  blank: ({ settings }) => {
    const source = newSource(settings);
    // New panels are of the type time series, and Explore draws over time only.
    return { source, axis: 'rebased', ...(source.kind === 'fineTuning' && { metric: NEW_METRIC }) };
  },
  ignored: ({ source, metric, baseline }) => [
    // Only fine-tuning jobs have training metrics.
    ...(source.kind === 'fineTuning' ? [] : (['metric'] as const)),
    ...(source.kind === 'fineTuning' && metric ? (['expr'] as const) : []),
    ...(baseline ? [] : (['difference'] as const)),
  ],
  isBlank: ({ source }) => sourceIsBlank(source),
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
