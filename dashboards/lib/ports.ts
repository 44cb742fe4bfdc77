// The worst ports of InfiniBand, for the dashboards that list them.
import { PORT_ERRORS, type Scope } from '../../src/catalog/quantities.ts';
import { HOST_LABEL, NODE_LABELS } from './host.ts';
import { percent, type Steps } from './display.ts';
import { NODE_COLUMNS } from './findings.ts';
import { list } from './panels.ts';
import { copied, sentenceRow } from './promql.ts';
import { atEnd, chosenClusters, matchedBy } from './quantities.ts';
import { endsOfNodesWith } from './variables.ts';

/** With the label `node`, for links. Ports and machines name their node by `vm_name`, always. */
export const named = (expr: string) => copied(expr, 'node', HOST_LABEL, '(.*)');

/** The labels of a port. */
const OF_PORT = `${NODE_LABELS}, hca_number`;

/** Errors of an hour from which on a port is a finding: that of infiniband-diags, etc/error_thresholds. */
const ERRORS_AN_HOUR = 10;

/** The share of time from which on a port that waits is one: below, ports of any job wait now and then. */
const WAITS = 0.1;

/** Once in a range a link goes down on any large fleet. The threshold of infiniband-diags is 10, since its counters were cleared. */
const DOWN_OFTEN: Steps = [
  [0, 'text'],
  [2, 'orange'],
  [10, 'red'],
];

/** The share of its line rate that a port has lost since the highest of a week. Its exporter may have moved since. */
function rateLost(of: Scope): string {
  const rate = (fn: string, window: string) =>
    `max by (${OF_PORT}) (${of.over(fn, of.vendor('ib_port_line_rate'), window)})`;
  return `(1 - ${rate('last_over_time', '15m')} / ${rate('max_over_time', '7d')} > 0)`;
}

/** Ports that lost some of their rate, by a thousandth of it, those with many errors, and those whose link went down, by how often. */
const failing = (of: Scope): string =>
  `(1000 * ${rateLost(of)} or ${atEnd('portErrors', of, OF_PORT)} > ${ERRORS_AN_HOUR} * $__range_s / 3600 or ${atEnd('linksDown', of, OF_PORT)} > 0)`;
const waiting = (of: Scope): string => `(${atEnd('portWaits', of, OF_PORT)} > ${WAITS})`;

/**
 * The nodes with the worst ports: many ports of a large job go down once together, and of equal ports an engine takes others each time. They are
 * found once, for all columns.
 */
export const worst = (of: Scope) =>
  endsOfNodesWith(
    'worst',
    `topk(20, max by (vm_name) (${failing(of)})) or topk(10, max by (vm_name) (${waiting(of)}))`,
    'the nodes with the worst ports',
    8,
    'vm_name'
  );

const OF_WORST = chosenClusters('vm_name=~".*$worst"');
// To VictoriaMetrics a comparison that does not hold is a series without values, and the sentence would fill it.
const found = `topk(200, ${failing(OF_WORST)} or 0 * ${waiting(OF_WORST)})`;
const WELL = 'All is well: no port waits, lost some of its rate, or has more errors than is ordinary';
const none = sentenceRow(`absent(${atEnd('ports', matchedBy())})`, 'There are no InfiniBand ports');
/** Of some ports. A dashboard with it has the variables `prefix` and that of {@link worst}. */
export const worstPorts = (of: Scope) =>
  list({
    title: 'Worst ports',
    description: `What was counted in the range, on the twenty nodes with the worst ports: ${Object.values(PORT_ERRORS).join(', ')} together, from ${ERRORS_AN_HOUR} an hour on; how often the link went down; and how much of its highest line rate of a week a port has lost. And of the ten nodes with ports that wait most: what share of the last minutes they had data and could not send, from ${100 * WAITS} % on. All nodes of a job wait for its slowest link, so their GPUs look alike. A port that goes down and recovers often has a bad cable or transceiver; one that waits sends to one that can’t keep up.`,
    every: '5m',
    found: `${named(found)} or on () ${sentenceRow(atEnd('ports', of), WELL)} or on () ${none}`,
    queries: [
      named(`${atEnd('linksDown', OF_WORST, OF_PORT)} > 0`),
      named(atEnd('portWaits', OF_WORST, OF_PORT)),
      named(rateLost(OF_WORST)),
      named(atEnd('portErrors', OF_WORST, OF_PORT)),
    ],
    columns: {
      ...NODE_COLUMNS,
      hca_number: { title: 'Port', width: 55 },
      'Value #E': { title: 'Errors', unit: 'locale', decimals: 0, width: 80 },
      'Value #B': { title: 'Links down', decimals: 0, width: 95, cell: 'color-text', steps: DOWN_OFTEN },
      'Value #C': percent('Waits', 75),
      'Value #D': percent('Rate lost'),
    },
    sortBy: ['Errors', 'Waits'],
  });
