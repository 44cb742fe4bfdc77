import { board } from '../lib/board.ts';
import { LOAD_BALANCER } from '../lib/families.ts';
import { graph, numbers } from '../lib/panels.ts';
import { average, rate, rateAtEnd, vendor } from '../lib/promql.ts';
import { instant, range } from '../lib/queries.ts';
import { prefix, several } from '../lib/variables.ts';

const elb = (metric: string) => `${vendor(`elb_${metric}`)}{elb_name=~"$balancer", vip_port=~"$port"}`;
const LISTENER = '{{elb_name}} {{proto}}/{{vip_port}}';
const byListener = (expr: string) => `sum by (elb_name, proto, vip_port) (${expr})`;

const now = numbers({
  description: 'Over the chosen load balancers and ports; rates are over five minutes.',
  family: LOAD_BALANCER,
  width: 24,
  unit: 'short',
  queries: [
    instant(`sum(${elb('active_flows')})`, 'Open connections'),
    instant(`sum(${rateAtEnd(elb('new_flows'))})`, 'New connections'),
    instant(`sum(${rateAtEnd(elb('bytes_in'))})`, 'From clients'),
    instant(`sum(${rateAtEnd(elb('bytes_out'))})`, 'To clients'),
  ],
  looks: {
    'Open connections': { unit: 'locale', decimals: 0 },
    'New connections': { unit: 'suffix: conn/s', decimals: 1 },
    'From clients': { unit: 'Bps' },
    'To clients': { unit: 'Bps' },
  },
});

const lines = (title: string, description: string, unit: string, expr: string) =>
  graph({
    title,
    description,
    family: LOAD_BALANCER,
    width: 12,
    unit,
    min: 0,
    queries: [range(byListener(expr), LISTENER)],
  });

export const loadBalancer = () =>
  board({
    uid: 'gpucloud-load-balancer',
    title: 'Load balancer',
    description: 'Traffic and connections of load balancers, by port. Collected every 30 seconds.',
    annotated: 'never',
    from: 'now-3h',
    variables: [
      prefix(),
      several('balancer', 'Load balancer', '${prefix}_elb_active_flows', 'elb_name'),
      several('port', 'Port', '${prefix}_elb_active_flows{elb_name=~"$balancer"}', 'vip_port'),
    ],
    sections: [
      {
        panels: [
          now,
          lines('From clients', 'Data that clients sent.', 'Bps', rate(elb('bytes_in'))),
          lines('To clients', 'Data that was sent to clients.', 'Bps', rate(elb('bytes_out'))),
          lines(
            'Open connections',
            'Flows that are open. A sudden drop: clients can’t connect, or the servers behind are gone.',
            'locale',
            average(elb('active_flows'))
          ),
          lines('New connections', 'Flows opened in a second.', 'suffix: conn/s', rate(elb('new_flows'))),
          lines('Packets from clients', 'Packets a second.', 'pps', rate(elb('in_packets'))),
          lines('Packets to clients', 'Packets a second.', 'pps', rate(elb('out_packets'))),
        ],
      },
    ],
  });
