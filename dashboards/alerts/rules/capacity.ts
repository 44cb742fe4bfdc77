import { QUARTER_HOUR, threshold, typed } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed } from '../texts.ts';

export const capacity: RuleGroup = {
  name: 'Capacity',
  rules: [
    {
      id: 'gpus-free',
      title: 'Room for a job',
      severity: 'info',
      query: typed(QUARTER_HOUR, { queryType: 'placement', format: 'number', types: ['h100'] }),
      conditions: [threshold('A', 'gt', 63)],
      noData: 'and places without room have the number 0, so the name of the type is wrong',
      summary: 'Fires when a place has as many GPUs as your job needs, within capacities, quotas and own idle nodes.',
      description: `${fixed('A', 0)} {{ $labels.type }} can run on {{ $labels.source }}{{ with $labels.location }} in {{ . }}{{ end }}{{ with $labels.node_pool }}, {{ . }}{{ end }}.`,
      action: 'Start your job: others wait for GPUs, too.',
      link: { board: 'capacity', panel: 'Places, the best first' },
    },
  ],
};
