import { FIRST_GPU } from '../lib/allocation.ts';
import { board } from '../lib/board.ts';
import { COLLECTED } from '../lib/collected.ts';
import { badAbove, badBelow, neutral } from '../lib/display.ts';
import { GPU } from '../lib/families.ts';
import { list } from '../lib/panels.ts';
import { anywhere, eachName, matching, vendor, withLabel } from '../lib/promql.ts';
import { rows } from '../lib/queries.ts';
import { prefix } from '../lib/variables.ts';

const FAMILIES = COLLECTED.map(({ title, metric }) => ({
  title,
  metric: metric.startsWith('DCGM_') ? anywhere(metric) : vendor(metric),
}));

/** Series of many names: they can be counted, but PromQL can't take their ages, which would all have the same labels. */
const COUNTED: typeof FAMILIES = [
  ...FAMILIES,
  { title: 'custom metrics', metric: '{metrics_source="custom-metrics"}' },
];

/** One expression for all families, distinguished by the label `family`: one request instead of one for each. */
const each = (expr: (metric: string) => string, families = FAMILIES): string =>
  families.map(({ title, metric }) => withLabel(expr(metric), 'family', title)).join(' or ');

/**
 * When a family's newest sample was taken. A query sees samples of the past five minutes only; where there is none, it
 * is looked for in steps through the past hour.
 */
const newest = (metric: string): string => {
  const seen = `max(${eachName(metric, (one) => `timestamp(${one})`)})`;
  return `${seen} or max_over_time(${seen}[1h:5m])`;
};

/**
 * The samples of the past hour, as a share of those due at the interval that a series mostly has: exporters are scraped every 15 s to 5 min.
 * Of series that were there before and still are: those of pods come and go. Of the first GPU of a node, whose exporter has all of them.
 * Windows are a second shorter, because Prometheus 2 counts a sample at either end.
 */
const share = (metric: string): string => {
  const few = metric.includes('DCGM_') ? matching(metric, FIRST_GPU) : metric;
  const due = (one: string) => `6 * quantile_over_time(0.5, count_over_time(${one}[599s])[1h:10m])`;
  const stays = (one: string) => `last_over_time(${one}[10m] offset 1h) and last_over_time(${one}[10m])`;
  const came = (one: string) => `clamp_max(count_over_time(${one}[3599s]) / (${due(one)}), 1) and ${stays(one)}`;
  return `avg(${eachName(few, came)})`;
};

const MISSING =
  'the platform has no series of any family: check the monitoring token and the project id with Save & test.';

const families = list({
  title: 'Metric families',
  description:
    'How many series each family has, how old its newest sample is, and how much of what was due in the past hour has come, at the interval of most of its samples, of series that are an hour old; of custom metrics, which have any names, only the first. A family without series isn’t collected here: its dashboards are empty, and that is not an error.',
  family: { ...GPU, missing: MISSING },
  height: 14,
  queries: [
    rows(each((metric) => `(count(${metric}) or vector(0))`, COUNTED)),
    rows(each((metric) => `(time() - (${newest(metric)}))`)),
    rows(each((metric) => `(${share(metric)})`)),
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

export const health = () =>
  board({
    uid: 'gpucloud-health',
    title: 'Health of the data source',
    question: 'Can I trust what I see?',
    description: 'Which metric families are collected, and how fresh they are.',
    refresh: '5m',
    from: 'now-3h',
    variables: [prefix()],
    sections: [{ panels: [families] }],
  });
