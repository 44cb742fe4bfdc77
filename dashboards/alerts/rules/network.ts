import { named, NODE_LABELS } from '../../lib/host.ts';
import { over, withLabel } from '../../lib/promql.ts';
import { anyVendor, atEnd, EVERYTHING } from '../../lib/quantities.ts';
import { inService } from '../drained.ts';
import { highest, risen, seen } from '../past.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed, NODE } from '../texts.ts';

const PORT = `${NODE_LABELS}, hca_number`;
const PORT_TEXT = `port {{ $labels.hca_number }} of ${NODE}`;

const LINE_RATE = anyVendor('ib_port_line_rate');

const LINK_DOWNED = anyVendor('ib_port_link_downed');

/** Links that went down again within an hour: a job outlives a link that comes back after a second, once. */
const FLAPS = `${risen(PORT, LINK_DOWNED, '1h', '2h')} > 1`;

/** A day, and days each twice as long ago as the one before, of the 28 that the platform still knows: a port that had a link for as long as it is down was up. */
const HAD_LINK = [
  over('max_over_time', LINE_RATE, '1d'),
  ...[2, 4, 8, 16, 28].map((days) => over('last_over_time', LINE_RATE, '15m', ` offset ${days}d`)),
];

/** Ports without a link that had one. One that never had is not used. */
const IS_DOWN = `max by (${PORT}) (${named(`(${HAD_LINK.map((rate) => `${rate} > 0`).join(' or ')})`)}) and ${highest(PORT, LINE_RATE)} == 0`;

/** Of ports that were there before, which a new exporter's are not: what they counted may be of years. */
const ERRORS = `${atEnd('portErrors', EVERYTHING, PORT, '15m')} and on (${PORT}) ${seen(PORT, anyVendor('ib_port_error_rx'), '15m', '30m')}`;

/** Percent of its highest rate of a day that a link has. */
const SLOW = `100 * (${highest(PORT, LINE_RATE)} > 0) / max by (${PORT}) (${named(over('max_over_time', LINE_RATE, '1d'))}) < 100`;

/** The platform collects InfiniBand every 5 minutes: a quarter of an hour holds three samples. */
export const infiniband: RuleGroup = {
  name: 'InfiniBand',
  interval: '5m',
  rules: [
    {
      id: 'infiniband-link-down',
      title: 'InfiniBand link down',
      severity: 'critical',
      query: inService(`${FLAPS} or ${IS_DOWN}`),
      keepFiringFor: '15m',
      description: `The InfiniBand link of ${PORT_TEXT} is down, or went down several times within an hour. Jobs over several nodes may hang or fail.`,
      action:
        'Look whether ports of other nodes went down, too: then it is a switch. If not, drain the node and report its port.',
      link: { board: 'network', panel: 'Worst ports' },
    },
    {
      id: 'infiniband-slow',
      title: 'InfiniBand link slow',
      severity: 'warning',
      query: `topk(100, ${inService(SLOW)})`,
      pending: '5m',
      // A link that comes back at a lower rate and goes down again is one alert.
      keepFiringFor: '1h',
      description: `The InfiniBand link of ${PORT_TEXT} has ${fixed(0)} % of the rate that it had within a day. Jobs over several nodes are as slow as their slowest link.`,
      action:
        'Drain the node at the end of its job and report the port: a link that loses lanes or speed has a bad cable, transceiver or adapter.',
      link: { board: 'network', panel: 'Worst ports' },
    },
    {
      id: 'infiniband-errors',
      title: 'InfiniBand errors',
      severity: 'warning',
      query: `
          topk(100,
            ${ERRORS} unless on (${PORT}) ${risen(PORT, LINK_DOWNED, '15m', '30m')} > 0
          )`,
      above: 10,
      pending: '5m',
      description: `InfiniBand ${PORT_TEXT} counted ${fixed(0)} errors, discarded packets or link recoveries within 15 minutes.`,
      action:
        'Report the port if it is the only one: a cable or an adapter. On many ports at once it is a switch, or congestion if packets are discarded.',
      link: { board: 'network', panel: 'Worst ports' },
    },
  ],
};

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
      // What is no drop has no series, because the decline of a day comes and goes, and each time an alert would be kept for longer.
      query: `(${withLabel(FLOWS_LEFT, 'traffic', 'new connections')} or ${withLabel(RESPONSES_LEFT, 'traffic', 'responses')}) < 30`,
      above: -1,
      pending: '5m',
      keepFiringFor: '1h',
      description: `Load balancer {{ $labels.elb_name }}, port {{ $labels.vip_port }}, has ${fixed(1)} % of the least of {{ $labels.traffic }} that it had at any time of the day before.`,
      action: 'Check the health of the servers behind it, then name resolution and certificates.',
      link: { board: 'network', panel: 'New connections and traffic' },
    },
  ],
};
