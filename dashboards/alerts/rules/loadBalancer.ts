import { withLabel } from '../../lib/promql.ts';
import { anyVendor } from '../../lib/quantities.ts';
import { now, threshold } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed } from '../texts.ts';

const LISTENER = 'elb_name, vip_port, proto';

/** What is counted of each listener in a second. */
const perSecond = (counter: string, window: string, ago = ''): string =>
  `sum by (${LISTENER}) (rate(${anyVendor(`elb_${counter}`)}[${window}]${ago}))`;

/** The least at any time of a day: the end of a client that comes and goes is no drop. */
const leastOfDay = (expr: string): string => `min_over_time((${expr})[1d:15m] offset 2h)`;

const LEAST_FLOWS = leastOfDay(perSecond('new_flows', '15m'));

/** A listener that vanishes has 0. */
const FLOWS_NOW = `(${perSecond('new_flows', '5m')} or 0 * ${LEAST_FLOWS})`;

/** Half of the least went within half an hour: clients that are moved to another listener leave in hours. */
const FLOWS_LEFT = `
  100 * ${FLOWS_NOW} / (${LEAST_FLOWS} > 1)
  and ${FLOWS_NOW} < ${perSecond('new_flows', '5m', ' offset 30m')} - 0.5 * ${LEAST_FLOWS}`;

/** Packets to clients for each one from them, whatever the load is. */
const responses = (window: string): string =>
  `${perSecond('out_packets', window)} / ${perSecond('in_packets', window)}`;
const RESPONSES_LEFT = `100 * (${responses('5m')}) / ${leastOfDay(responses('15m'))} and ${LEAST_FLOWS} > 1`;

export const loadBalancer: RuleGroup = {
  name: 'Load balancer',
  rules: [
    {
      id: 'load-balancer-drop',
      title: 'Load-balancer traffic dropped',
      severity: 'critical',
      query: now(
        // What is no drop has no series, because the decline of a day comes and goes, and each time an alert would be kept for longer.
        `(${withLabel(FLOWS_LEFT, 'traffic', 'new connections')} or ${withLabel(RESPONSES_LEFT, 'traffic', 'responses')}) < 30`
      ),
      conditions: [threshold('A', 'gt', -1)],
      pending: '5m',
      keepFiringFor: '1h',
      summary:
        'Fires when a load balancer suddenly gets less than 30 % of the least of new connections that it had at any time of the day before, or passes on so few responses.',
      description: `Load balancer {{ $labels.elb_name }}, port {{ $labels.vip_port }}, has ${fixed('A', 1)} % of the least of {{ $labels.traffic }} that it had at any time of the day before.`,
      action: 'Check the health of the servers behind it, then name resolution and certificates.',
      link: { board: 'network', panel: 'New connections and traffic' },
    },
  ],
};
