import { board } from '../lib/board.ts';
import { COLLECTED } from '../lib/collected.ts';
import { badAbove, badBelow, neutral } from '../lib/display.ts';
import { GPU } from '../lib/families.ts';
import { graph, list } from '../lib/panels.ts';
import { anywhere, eachName, over, vendor } from '../lib/promql.ts';
import { range, rows } from '../lib/queries.ts';
import { prefix } from '../lib/variables.ts';

const FAMILIES = COLLECTED.map(({ title, metric, every }) => ({
  title,
  metric: metric.startsWith('DCGM_') ? anywhere(metric) : vendor(metric),
  every,
}));

/** Series of many names: they can be counted, but PromQL can't take their ages, which would all have the same labels. */
const COUNTED: typeof FAMILIES = [
  ...FAMILIES,
  { title: 'custom metrics', metric: '{metrics_source="custom-metrics"}', every: 60 },
];

/** One expression for all families, distinguished by the label `family`: one request instead of one for each. */
const each = (expr: (metric: string, every: number) => string, families = FAMILIES): string =>
  families
    .map(({ title, metric, every }) => `label_replace(${expr(metric, every)}, "family", "${title}", "", "")`)
    .join(' or ');

/**
 * When a family's newest sample was taken. A query sees samples of the past five minutes only; where there is none, it
 * is looked for in steps through the past hour.
 */
const newest = (metric: string): string => {
  const seen = `max(${eachName(metric, (one) => `timestamp(${one})`)})`;
  return `${seen} or max_over_time(${seen}[1h:5m])`;
};

const MISSING =
  'the platform has no series of any family: check the monitoring token and the project id with Save & test.';
const METRICS = { ...GPU, missing: MISSING };

const families = list({
  title: 'Metric families',
  description:
    'How many series each family has, how old its newest sample is, and how much of what was due in the past hour has come; of custom metrics, which have any names, only the first. A family without series isn’t collected here: its dashboards are empty, and that is not an error.',
  family: METRICS,
  height: 14,
  queries: [
    rows(each((metric) => `(count(${metric}) or vector(0))`, COUNTED)),
    rows(each((metric) => `(time() - (${newest(metric)}))`)),
    rows(each((metric, every) => `(avg(${over('count_over_time', metric, '1h')}) / ${3600 / every})`)),
  ],
  columns: {
    family: { title: 'Family' },
    'Value #A': {
      title: 'Series',
      unit: 'locale',
      decimals: 0,
      cell: 'color-text',
      steps: neutral,
      words: { 0: { text: 'not collected here', color: 'text' } },
    },
    'Value #B': {
      title: 'Age of the newest sample',
      unit: 's',
      decimals: 0,
      cell: 'color-text',
      steps: badAbove(330, 600),
    },
    'Value #C': {
      title: 'Samples of the past hour',
      unit: 'percentunit',
      decimals: 0,
      cell: 'color-text',
      steps: badBelow(0.8, 0.95),
    },
  },
});

const count = graph({
  title: 'Series',
  description: 'How many series each family has. A drop is a node, a port or an agent that is gone.',
  family: { ...METRICS, interval: '5m' },
  unit: 'locale',
  min: 0,
  queries: [
    range(
      each((metric) => `count(${metric})`, COUNTED),
      '{{family}}'
    ),
  ],
});

export const health = () =>
  board({
    uid: 'gpucloud-health',
    title: 'Health of the data source',
    question: 'Can I trust what I see?',
    description: 'Which metric families are collected, and how fresh they are.',
    refresh: '5m',
    from: 'now-3h',
    variables: [prefix()],
    sections: [{ panels: [families, count] }],
  });
