import { ask, threshold } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed } from '../texts.ts';

const QUARTER_HOUR = 15 * 60;

export const capacity: RuleGroup = {
  name: 'Capacity',
  interval: '1m',
  rules: [
    {
      id: 'capacity-available',
      title: 'Capacity available again',
      severity: 'info',
      query: ask(QUARTER_HOUR, { queryType: 'capacities', format: 'number', productNames: ['h100.8x'] }),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'NoData', because: 'the platform lists products with 0 as well, so the name is wrong' },
      summary: 'Fires when a machine of a product that you wait for is available.',
      description: `${fixed('A', 0)} of {{ $labels.type }} available in {{ $labels.location }} now.`,
      action: 'Start your machine: others wait for it, too.',
      link: {
        board: 'capacity',
        panel: 'Machines',
        variables: { product: '$labels.type', location: '$labels.location' },
      },
    },
  ],
};
