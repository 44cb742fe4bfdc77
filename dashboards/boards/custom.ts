import { board } from '../lib/board.ts';
import { CUSTOM } from '../lib/families.ts';
import { graph } from '../lib/panels.ts';
import { average, rate } from '../lib/promql.ts';
import { range } from '../lib/queries.ts';
import { several } from '../lib/variables.ts';

const SOURCE = 'metrics_source="custom-metrics"';
const ALL = `{${SOURCE}}`;

/** A metric by the value of a variable. Its name stands for itself, so that a rate can be taken of it. */
const series = (variable: string, suffix = '') => `\${${variable}}${suffix}{${SOURCE}, pod_name=~"$pod"}`;

const repeated = (variable: string, description: string, expr: string, legend: string, unit = 'short') =>
  graph({
    title: `$${variable}`,
    description,
    family: CUSTOM,
    width: 8,
    unit,
    repeat: variable,
    queries: [range(expr, legend)],
  });

/** The names of custom metrics that match. */
const names = (name: string, label: string, matcher: string) =>
  several(name, label, `{${SOURCE}, __name__${matcher}}`, '__name__').allValue('');

const gauges = repeated(
  'gauge',
  'As the pods report it, on average in each step; the twenty largest series.',
  `topk(20, ${average(series('gauge'))})`,
  '{{pod_name}}'
);
const counters = repeated(
  'counter',
  'Increase a second, the twenty largest series.',
  `topk(20, ${rate(series('counter'))})`,
  '{{pod_name}}'
);
const histograms = repeated(
  'histogram',
  '95th percentile of each pod.',
  `histogram_quantile(0.95, sum by (le, pod_name) (${rate(series('histogram', '_bucket'))}))`,
  '{{pod_name}}'
);

export const custom = () =>
  board({
    uid: 'gpucloud-custom-metrics',
    title: 'Custom metrics',
    description:
      'The metrics that your own pods export, found by query. Metrics of managed container clusters, where custom metrics are enabled.',
    variables: [
      several('pod', 'Pod', ALL, 'pod_name'),
      names('gauge', 'Gauges', '!~".+_(total|bucket|sum|count)"'),
      names('counter', 'Counters', '=~".+_total"'),
      names('histogram', 'Histograms', '=~".+_bucket"').regex('/^(.+)_bucket$/'),
    ],
    sections: [
      { title: 'Gauges', panels: [gauges] },
      { title: 'Counters, a second', panels: [counters] },
      { title: 'Histograms', panels: [histograms] },
    ],
  });
