import { COLLECTED, familySelector, type Collected } from '../../lib/collected.ts';
import { withLabel } from '../../lib/promql.ts';
import { anyVendor } from '../../lib/quantities.ts';
import { type RuleGroup } from '../rule.ts';
import { OF_CLUSTER } from '../texts.ts';
import { allDrained } from './schedulers.ts';

const selectorOf = (metric: string): string => familySelector(metric, anyVendor);

/** Clusters, or what belongs to none, that had a metric within a day, and have not now. */
function gone(metric: string): string {
  const was = ['1h', '1d'].map((ago) => `last_over_time(${selectorOf(metric)}[15m] offset ${ago})`).join(' or ');
  return `group by (cluster_id) (${was}) unless group by (cluster_id) (last_over_time(${selectorOf(metric)}[20m]))`;
}

/** What else the exporter of a metric says: where that is gone, too, the exporter is. */
const exporterOf = (metric: string): string =>
  selectorOf(metric.startsWith('DCGM_') ? 'DCGM_FI_DEV_FB_USED' : 'vm_memory_total_bytes');

const needed = (how: Collected['needed']) =>
  Object.entries<Collected>(COLLECTED).filter(([, family]) => family.needed === how);

const URGENT = needed('urgent').map(([title, { metric }]) => withLabel(gone(metric), 'family', title));
const LESSER = needed('lesser').map(([title, { metric }]) =>
  withLabel(`${gone(metric)} and on (cluster_id) last_over_time(${exporterOf(metric)}[20m])`, 'family', title)
);

export const reachability: RuleGroup = {
  name: 'Platform',
  rules: [
    {
      id: 'platform-unreachable',
      title: 'Platform unreachable',
      severity: 'critical',
      query: 'vector(1)',
      below: 1,
      description:
        'Platform unreachable: a query that needs no data fails, and the annotation Error has the reason. Until it succeeds, no other rule on metrics can be evaluated.',
      action:
        'Open Connections → Data sources → GPU Cloud and press “Save & test”: it says what was refused or not reached.',
      link: { board: 'health', panel: 'Metric families' },
      reportsFailure: true,
    },
    {
      id: 'family-gone',
      title: 'Metrics stopped',
      severity: 'critical',
      query: `(${URGENT.join(' or ')}) unless on (cluster_id) (${allDrained()})`,
      pending: '5m',
      description: `There have been no metrics of {{ $labels.family }}${OF_CLUSTER} for 20 minutes: rules on them cannot fire until they come back.`,
      action:
        'Look whether its exporter or the monitoring agent runs. Of GPUs it is the GPU operator, or DCGM’s exporter.',
      link: { board: 'health', panel: 'Metric families' },
    },
    {
      id: 'family-lesser-gone',
      title: 'Further metrics stopped',
      severity: 'warning',
      query: LESSER.join(' or '),
      pending: '1h',
      description: `There have been no metrics of {{ $labels.family }}${OF_CLUSTER} for more than an hour.`,
      action:
        'Of profiling, look whether somebody profiles a job, which pauses them, else for the list of counters of the GPU exporter; of the others, whether the monitoring agent runs.',
      link: { board: 'health', panel: 'Metric families' },
    },
  ],
};
