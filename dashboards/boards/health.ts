import { TWO_GPUS } from '../lib/allocation.ts';
import { board } from '../lib/board.ts';
import { COLLECTED, familySelector } from '../lib/collected.ts';
import { badAbove, neutral } from '../lib/display.ts';
import { list } from '../lib/panels.ts';
import { eachName, matching, vendor, withLabel } from '../lib/promql.ts';
import { prefix } from '../lib/variables.ts';

/** One expression for all families, distinguished by the label `family`: one request instead of one for each. */
const each = (expr: (metric: string) => string): string =>
  Object.entries(COLLECTED)
    .map(([title, { metric }]) => withLabel(expr(familySelector(metric, vendor)), 'family', title))
    .join(' or ');

/**
 * When a family's newest sample was taken, that of GPUs on two of each node. A query sees samples of the past five minutes only; where there is none, it
 * is looked for in steps through the past hour.
 */
const newest = (metric: string): string => {
  const some = metric.includes('DCGM_') ? matching(metric, TWO_GPUS) : metric;
  const seen = `max(${eachName(some, (one) => `timestamp(${one})`)})`;
  return `${seen} or max_over_time(${seen}[1h:5m])`;
};

const families = list({
  title: 'Metric families',
  description:
    'How many series each family has and how old its newest sample is. A family without series isn’t collected here: its dashboards are empty, and that is not an error.',
  missing: 'the platform has no series of any family: check the monitoring token and the project id with Save & test.',
  height: 14,
  queries: [each((metric) => `(count(${metric}) or vector(0))`), each((metric) => `(time() - (${newest(metric)}))`)],
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
  },
});

export const health = board({
  uid: 'gpucloud-health',
  title: 'Health of the data source',
  question: 'Can I trust what I see?',
  description: 'Which metric families are collected, and how fresh they are.',
  refresh: '5m',
  from: 'now-3h',
  variables: [prefix()],
  sections: [{ panels: [families] }],
});
