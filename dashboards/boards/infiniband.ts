import { board } from '../lib/board.ts';
import { badIfAny, neutral } from '../lib/display.ts';
import { INFINIBAND } from '../lib/families.ts';
import { toNode } from '../lib/links.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { vendor } from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { prefix, several } from '../lib/variables.ts';

const RATE = vendor('ib_port_line_rate');
const port = (metric: string) =>
  `${vendor(`ib_port_${metric}`)}{cluster_id=~"$cluster", vm_name=~"$node", hca_number=~"$hca"}`;
const rx = port('throughput_rx');
const tx = port('throughput_tx');
const added = (metric: string) => `increase(${port(metric)}[$__rate_interval])`;
/** Of the whole time range, by port. */
const inRange = (metric: string) =>
  `sum by (node, hca_number) (label_replace(increase(${port(metric)}[$__range]), "node", "$1", "vm_name", "(.+)"))`;
const topNodes = (expr: string) =>
  `label_replace(topk(10, sum by (vm_name) (${expr})), "node", "$1", "vm_name", "(.+)")`;

const now = numbers({
  description:
    'Over the chosen ports. The share is of the line rate, in the busier direction, with throughput in bytes and line rate in bits a second.',
  family: INFINIBAND,
  width: 24,
  unit: 'short',
  queries: [
    instant(`count(${port('line_rate')})`, 'Ports'),
    instant(`sum(${rx})`, 'Received'),
    instant(`sum(${tx})`, 'Sent'),
    instant(`8 * max(${tx} / ${port('line_rate')})`, 'Busiest port'),
    instant(`sum(increase(${port('link_downed')}[$__range]))`, 'Links down in range'),
    instant(`sum(increase(${port('error_rx')}[$__range]))`, 'Errors in range'),
  ],
  looks: {
    Received: { unit: 'Bps' },
    Sent: { unit: 'Bps' },
    'Busiest port': { unit: 'percentunit', decimals: 0, steps: neutral },
    'Links down in range': { decimals: 0, steps: badIfAny },
    'Errors in range': {
      decimals: 0,
      steps: [
        [0, 'green'],
        [1, 'yellow'],
      ],
    },
  },
});

const throughput = (title: string, description: string, expr: string) =>
  graph({
    title,
    description,
    family: INFINIBAND,
    width: 12,
    unit: 'Bps',
    min: 0,
    link: toNode(),
    queries: [range(topNodes(expr), '{{node}}')],
  });

const total = (
  title: string,
  description: string,
  unit: string,
  queries: Array<[expr: string, name: string]>,
  isBars = false
) =>
  graph({
    title,
    description,
    family: INFINIBAND,
    width: 8,
    unit,
    min: 0,
    bars: isBars,
    queries: queries.map(([expr, name]) => range(expr, name)),
  });

const suspects = list({
  title: 'Ports with errors',
  description:
    'What was counted in the time range, on the ports with most of it. A port that goes down and recovers often has a bad cable or transceiver.',
  family: { ...INFINIBAND, missing: 'No port had errors in this time range, or there are no InfiniBand metrics.' },
  width: 24,
  queries: [
    rows(`topk(20, ${inRange('error_rx')} > 0)`),
    rows(`topk(20, ${inRange('xmit_discard')} > 0)`),
    rows(`topk(20, ${inRange('link_error_recovery')} > 0)`),
    rows(`topk(20, ${inRange('link_downed')} > 0)`),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    hca_number: { title: 'Port', width: 90 },
    'Value #A': { title: 'Received with errors', unit: 'short', decimals: 0 },
    'Value #B': { title: 'Discarded', unit: 'short', decimals: 0 },
    'Value #C': { title: 'Recoveries', unit: 'short', decimals: 0 },
    'Value #D': { title: 'Links down', decimals: 0, cell: 'color-text', steps: badIfAny },
  },
});

export const infiniband = () =>
  board({
    uid: 'gpucloud-infiniband',
    title: 'InfiniBand',
    description: 'Throughput, congestion and errors of InfiniBand ports. Collected every 5 minutes.',
    variables: [
      prefix(),
      several('cluster', 'Cluster', RATE, 'cluster_id'),
      several('node', 'Node', `${RATE}{cluster_id=~"$cluster"}`, 'vm_name'),
      several('hca', 'Port', `${RATE}{cluster_id=~"$cluster", vm_name=~"$node"}`, 'hca_number'),
    ],
    sections: [
      {
        panels: [
          now,
          throughput('Received, by node', 'The ten nodes that receive most, over their chosen ports.', rx),
          throughput('Sent, by node', 'The ten nodes that send most, over their chosen ports.', tx),
        ],
      },
      {
        title: 'Congestion and errors',
        panels: [
          total('Packets', 'Packets a second, over the chosen ports.', 'pps', [
            [`sum(rate(${port('packets_rx')}[$__rate_interval]))`, 'Received'],
            [`sum(rate(${port('packets_tx')}[$__rate_interval]))`, 'Sent'],
          ]),
          total(
            'Waiting to send',
            'Ticks a second in which a port had data to send and no credit: congestion further on.',
            'short',
            [[`sum(rate(${port('tx_wait')}[$__rate_interval]))`, 'Ticks a second']]
          ),
          total(
            'Errors',
            'Counted since the point before. Received with errors points at cables, discarded at congestion.',
            'short',
            [
              [`sum(${added('error_rx')})`, 'Received with errors'],
              [`sum(${added('xmit_discard')})`, 'Discarded'],
              [`sum(${added('link_error_recovery')})`, 'Recoveries'],
              [`sum(${added('link_downed')})`, 'Links down'],
            ],
            true
          ),
          suspects,
        ],
      },
    ],
  });
