import { board } from '../lib/board.ts';
import { badIfAny, lookIfAny, neutral } from '../lib/display.ts';
import { INFINIBAND } from '../lib/families.ts';
import { toNode } from '../lib/links.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { average, counted, over, rate, vendor } from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { prefix, several } from '../lib/variables.ts';

const RATE = vendor('ib_port_line_rate');
const port = (metric: string) =>
  `${vendor(`ib_port_${metric}`)}{cluster_id=~"$cluster", vm_name=~"$node", hca_number=~"$hca"}`;
/** NVIDIA's switches from Quantum on count a tick for the time of 8 bytes, for ports of every width. */
const BITS_OF_A_TICK = 64;
const rx = port('throughput_rx');
const tx = port('throughput_tx');
const inStep = (metric: string) => `sum(${counted(port(metric))})`;
const waiting = `${BITS_OF_A_TICK} * ${rate(port('tx_wait'))} / ${port('line_rate')}`;
/** Of the whole time range, by port. */
const inRange = (metric: string) =>
  `sum by (node, hca_number) (label_replace(${over('increase', port(metric), '$__range')}, "node", "$1", "vm_name", "(.+)"))`;
const topNodes = (expr: string) =>
  `label_replace(topk(10, sum by (vm_name) (${expr})), "node", "$1", "vm_name", "(.+)")`;

const now = numbers({
  description:
    'Over the chosen ports. The share is of the line rate, in the busier direction, with throughput in bytes and line rate in bits a second.',
  family: INFINIBAND,
  width: 24,
  unit: 'locale',
  queries: [
    instant(`count(${port('line_rate')})`, 'Ports'),
    instant(`sum(${rx})`, 'Received'),
    instant(`sum(${tx})`, 'Sent'),
    instant(`8 * max(${tx} / ${port('line_rate')})`, 'Busiest port'),
    instant(`sum(${over('increase', port('link_downed'), '$__range')})`, 'Links down in range'),
    instant(`sum(${over('increase', port('error_rx'), '$__range')})`, 'Errors in range'),
  ],
  looks: {
    Received: { unit: 'Bps' },
    Sent: { unit: 'Bps' },
    'Busiest port': { unit: 'percentunit', decimals: 0, steps: neutral },
    'Links down in range': { decimals: 0, steps: badIfAny },
    'Errors in range': {
      unit: 'locale',
      decimals: 0,
      steps: lookIfAny,
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
    queries: [range(topNodes(average(expr)), '{{node}}')],
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
  family: { ...INFINIBAND, missing: 'no port had errors in this time range, or there are no InfiniBand metrics.' },
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
    'Value #A': { title: 'Received with errors', unit: 'locale', decimals: 0 },
    'Value #B': { title: 'Discarded', unit: 'locale', decimals: 0 },
    'Value #C': { title: 'Recoveries', unit: 'locale', decimals: 0 },
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
            [`sum(${rate(port('packets_rx'))})`, 'Received'],
            [`sum(${rate(port('packets_tx'))})`, 'Sent'],
          ]),
          total(
            'Waiting to send',
            'Share of time in which a port had data to send and could not: congestion further on. Ports count ticks; a tick is taken for the time of 8 bytes at the line rate, as NVIDIA documents it from Quantum on. Where it is longer, ports wait longer than shown.',
            'percentunit',
            [
              [`max(${waiting})`, 'Port that waits most'],
              [`avg(${waiting})`, 'Average port'],
            ]
          ),
          total(
            'Errors',
            'Counted from each bar’s left edge to the next, so that bars add up to the whole. Received with errors points at cables, discarded at congestion.',
            'short',
            [
              [inStep('error_rx'), 'Received with errors'],
              [inStep('xmit_discard'), 'Discarded'],
              [inStep('link_error_recovery'), 'Recoveries'],
              [inStep('link_downed'), 'Links down'],
            ],
            true
          ),
          suspects,
        ],
      },
    ],
  });
