import { MOST_OF_PORT, QUANTITIES } from '../../src/catalog/quantities.ts';
import { board } from '../lib/board.ts';
import { anyIs, badAbove, badBelow, percent, shareGauge } from '../lib/display.ts';
import { NODE_COLUMNS } from '../lib/findings.ts';
import { NODE_LABELS } from '../lib/host.ts';
import { toNode } from '../lib/links.ts';
import { graph, list } from '../lib/panels.ts';
import { named, worst, worstPorts } from '../lib/ports.ts';
import { vendor, withLabel } from '../lib/promql.ts';
import { atEnd, chosenClusters, chosenMachines, inSteps, matchedBy } from '../lib/quantities.ts';
import { numbersOf, quantities } from '../lib/quantityPanels.ts';
import { listOf, range } from '../lib/queries.ts';
import { clusters, firstOf, IN_CONTROLS_MENU, machines, nodesWith, prefix, several } from '../lib/variables.ts';

/** Ports and machines name their node by `vm_name`, always. */
const OF_CHOSEN = 'vm_name=~"$machines"';
const CHOSEN = chosenClusters(OF_CHOSEN);
const MACHINES = chosenMachines(OF_CHOSEN);
const SHARED = matchedBy('disk_name=~"$disk"');

/** With what their throughput is known to be: else each number would read it of all ports twice to see. */
const KNOWN = { ...CHOSEN, ofPorts: '$of_ports' };
const THROUGHPUT = `{__name__=~"${vendor('ib_port_throughput_(rx|tx)')}"}`;
const ofPorts = firstOf(
  'of_ports',
  [['rate', `max(last_over_time(${THROUGHPUT}[15m])) > ${MOST_OF_PORT}`]],
  'avg_over_time',
  'The function that makes bytes a second of the throughput of ports'
);

const now = numbersOf(
  [
    ['ports', CHOSEN],
    ['portReceived', KNOWN, { decimals: 1 }],
    ['portSent', KNOWN, { decimals: 1 }],
    ['busiestPort', KNOWN, { decimals: 1 }],
    ['portWaits', CHOSEN, { decimals: 1 }],
    ['portErrors', CHOSEN],
    ['linksDown', CHOSEN],
  ],
  {
    description:
      'Over the chosen nodes. Errors and links down are those of the range: a few are ordinary on thousands of ports.',
    every: '5m',
  }
);

const waits = graph({
  title: 'Ports that wait most, and throughput',
  description:
    'Share of time in which a port had data and could not send: of the eight nodes whose ports waited most at the end of the range, the port with most; and of all chosen nodes. At the right, what all sent.',
  every: '5m',
  unit: QUANTITIES.portWaits.unit,
  link: toNode(),
  queries: [
    range(named(inSteps('portWaits', chosenClusters('vm_name=~"$waiting"'), NODE_LABELS)), '{{node}}'),
    range(inSteps('portWaits', CHOSEN), 'All chosen nodes'),
    range(inSteps('portSent', CHOSEN), 'Sent'),
  ],
  looks: {
    'All chosen nodes': { color: 'text', lineWidth: 2 },
    Sent: { color: 'blue', axis: 'right', unit: QUANTITIES.portSent.unit },
  },
});

/** The name of a disk in metrics is that of the main API. */
const DISKS = listOf('/v1/projects/{projectId}/storage/disks', {
  columns: [
    { selector: 'name', name: 'disk_name' },
    { selector: 'size_bytes', type: 'number', unit: 'bytes' },
  ],
});

const shared = list({
  title: 'Shared disks of all clusters, and when they are full',
  description:
    'How much is stored, as a share of the size that the main API has, and when its highest level of a day reaches that: if it grows as in the lesser of the past two days, or as in the past six hours, if these have added more than a day. Of a disk that doesn’t grow, or is emptied every night, there is no such time. Collected every 5 minutes.',
  every: '5m',
  height: 7,
  queries: [
    `${atEnd('sharedDiskUsed', SHARED, 'disk_name')} or on () ${withLabel('vector(0)', 'disk_name', 'No shared disk has metrics')}`,
    `${atEnd('sharedDiskGrowth', SHARED, 'disk_name')} > 0`,
    atEnd('sharedDiskUsed', SHARED, 'disk_name', '1d'),
    DISKS,
  ],
  // Merging would take no column for that of all results where no disk grows.
  joined: { by: 'disk_name', results: [] },
  required: 'Value #A',
  // Grafana takes a size that is missing for 0: of these, only the share tells that there is none.
  computed: {
    share: ['Value #A', '/', 'size_bytes'],
    highest: ['Value #C', '/', 'size_bytes'],
    free: ['1', '-', 'highest'],
    left: ['free', '*', 'size_bytes'],
    days: ['left', '/', 'Value #B'],
  },
  columns: {
    disk_name: { title: 'Disk', minWidth: 130, wrap: true },
    // No bar: that of a disk without a size would be full.
    share: { ...percent('Used', 75), cell: 'color-text', steps: badAbove(0.8, 0.9) },
    'Value #A': { title: 'Stored', unit: 'bytes', decimals: 1, width: 90, words: { 0: { text: '–' } } },
    'Value #B': { title: 'Growth a day', unit: 'bytes', decimals: 1, width: 110 },
    days: {
      title: 'Full in',
      unit: 'suffix: days',
      decimals: 1,
      width: 90,
      cell: 'color-text',
      steps: badBelow(4, 14),
    },
  },
  sortBy: 'Used',
});

const filling = list({
  title: 'Fullest file systems',
  description: 'Boot, persistent and ephemeral disks as the machines see them, the twenty fullest.',
  height: 7,
  queries: [named(`topk(20, ${atEnd('diskFull', MACHINES, `${NODE_LABELS}, mount_point`)})`)],
  columns: {
    ...NODE_COLUMNS,
    mount_point: { title: 'Mounted at' },
    Value: shareGauge('Full', badAbove(0.8, 0.9)),
  },
  sortBy: 'Full',
});

const DRIVE = `${NODE_LABELS}, device`;

/** The drives to look at: those that warn, then those with new errors, then the most worn. */
const WARNED = 1000;
const ranks = [
  atEnd('nvmeWear', MACHINES, DRIVE),
  `${WARNED} * (${atEnd('nvmeWarning', MACHINES, DRIVE)} > 0)`,
  `${WARNED / 2} * (0 * ${atEnd('nvmeErrors', MACHINES, DRIVE)} + 1)`,
].map((rank, i) => withLabel(rank, 'rank', `${i}`));
const WORST_DRIVES = `topk(20, max by (${NODE_LABELS}) (sum by (${DRIVE}) (${ranks.join(' or ')})))`;

const wear = list({
  title: 'Local NVMe drives',
  description:
    'Drives that warn, then those with new media errors, then the most worn, of twenty nodes. At 100 % wear the maker’s rated life is used up; few spare blocks, media errors in the range or a warning mean that a drive is about to fail. What is on it is lost with the machine.',
  height: 7,
  queries: (['nvmeWear', 'nvmeSpare', 'nvmeErrors', 'nvmeWarning'] as const).map((name) =>
    named(atEnd(name, chosenMachines('vm_name=~"$drives"'), DRIVE))
  ),
  columns: {
    ...NODE_COLUMNS,
    device: { title: 'Device', width: 75 },
    'Value #A': {
      title: 'Wear',
      unit: 'percent',
      min: 0,
      max: 100,
      cell: 'gauge',
      steps: badAbove(70, 90),
      width: 90,
    },
    'Value #B': { title: 'Spare', unit: 'percent', cell: 'color-text', steps: badBelow(10, 30), width: 65 },
    'Value #C': { title: 'Errors', cell: 'color-text', steps: anyIs('red'), width: 75 },
    'Value #D': {
      title: 'Warning',
      cell: 'color-text',
      steps: anyIs('red'),
      words: { 0: { text: 'no' }, 1: { text: 'yes' } },
      width: 90,
    },
  },
  sortBy: ['Warning', 'Errors', 'Wear'],
});

const latency = quantities({
  title: 'Latency of disks, mean',
  description:
    'Of the slowest of the chosen shared disks of all clusters, and of boot, persistent and ephemeral disks of the chosen nodes.',
  height: 7,
  lines: {
    sharedDiskReadLatency: 'Shared, read',
    sharedDiskWriteLatency: 'Shared, write',
    diskReadLatency: 'Others, read',
    diskWriteLatency: 'Others, write',
  },
  of: (name) => (name.startsWith('shared') ? SHARED : MACHINES),
});

const objects = quantities({
  title: 'Time to connect to object storage, mean',
  of: chosenMachines(OF_CHOSEN, 'endpoint=~"$endpoint"'),
  lines: { objectLatency: '{{endpoint}}' },
});

const balancers = quantities({
  title: 'New connections and traffic',
  every: '30s',
  of: matchedBy('elb_name=~"$balancer"'),
  lines: {
    newConnections: '{{elb_name}} connections',
    balancerReceived: '{{elb_name}} from clients',
    balancerSent: '{{elb_name}} to clients',
  },
  legend: 'table',
  looksLike: { '/ clients$/': { unit: 'Bps', axis: 'right' } },
});

export const network = board({
  uid: 'gpucloud-network',
  title: 'Network and storage',
  question: 'Who waits?',
  description: 'InfiniBand ports, shared and local disks, object storage and load balancers.',
  refresh: '5m',
  needs: ['InfiniBand', 'shared disks', 'disks', 'local NVMe drives', 'object storage', 'load balancers'],
  variables: [
    prefix(),
    clusters(),
    machines(),
    { ...several('disk', 'Shared disk', '${prefix}_sdisk_capacity_used_bytes', 'disk_name'), ...IN_CONTROLS_MENU },
    {
      ...several('endpoint', 'Object storage', '${prefix}_vm_objectstore_bytes_recv_total', 'endpoint'),
      ...IN_CONTROLS_MENU,
    },
    { ...several('balancer', 'Load balancer', '${prefix}_elb_new_flows', 'elb_name'), ...IN_CONTROLS_MENU },
    ofPorts,
    worst(CHOSEN),
    nodesWith('drives', WORST_DRIVES, 'Nodes with the worst drives', 'vm_name'),
    nodesWith('waiting', `topk(8, ${atEnd('portWaits', CHOSEN, 'vm_name')})`, 'Nodes that wait most', 'vm_name'),
  ],
  sections: [
    { panels: [now, [worstPorts(CHOSEN), shared], [filling, wear]] },
    {
      title: 'InfiniBand ports, storage and load balancers over time',
      folded: true,
      panels: [[waits, latency, objects], balancers],
    },
  ],
});
