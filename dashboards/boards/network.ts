import { PORT_ERRORS, PORT_EVENTS, QUANTITIES, type QuantityName } from '../../src/catalog/quantities.ts';
import { listAt } from '../../src/catalog/lists.ts';
import { board } from '../lib/board.ts';
import { badAbove, badBelow, badIfAny, plain, shareGauge } from '../lib/display.ts';
import { DISK, INFINIBAND, LOAD_BALANCER, NVME, OBJECT_STORAGE, SHARED_DISK, type Family } from '../lib/families.ts';
import { DASH } from '../lib/findings.ts';
import { toNode } from '../lib/links.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { atEnd, chosenClusters, inSteps, platformWide, portEventsInSteps } from '../lib/quantities.ts';
import { instant, range, rows, type TypedQuery } from '../lib/queries.ts';
import { clusters, machines, nodesWith, prefix } from '../lib/variables.ts';

/** Ports and disks name their machine by `vm_name`, always. */
const CHOSEN = chosenClusters('vm_name=~"$machines"');
const MACHINE = 'cluster_id, vm_name';
const PORT = `${MACHINE}, hca_number`;

/** With the label `node`, for links. */
const named = (expr: string) => `label_replace(${expr}, "node", "$1", "vm_name", "(.+)")`;

const now = numbers({
  description:
    'Over the chosen nodes. Errors and links down are those of the range: a few are ordinary on thousands of ports.',
  family: INFINIBAND,
  width: 24,
  unit: 'locale',
  decimals: 0,
  queries: (['ports', 'portReceived', 'portSent', 'busiestPort', 'portWaits', 'portErrors', 'linksDown'] as const).map(
    (name) => instant(atEnd(name, CHOSEN), QUANTITIES[name].title)
  ),
  looks: Object.fromEntries(
    (['portReceived', 'portSent', 'busiestPort', 'portWaits'] as const).map((name) => [
      QUANTITIES[name].title,
      { unit: QUANTITIES[name].unit, decimals: 1 },
    ])
  ),
});

/** Errors of an hour from which on a port is a finding: that of infiniband-diags, etc/error_thresholds. */
const ERRORS_AN_HOUR = 10;

const ports = list({
  title: 'Worst ports',
  description: `What was counted in the range, on the twenty ports with most: ${Object.values(PORT_ERRORS).join(', ')} together, from ${ERRORS_AN_HOUR} an hour on; how often the link went down; and what share of the last minutes the port had data and could not send. A port that goes down and recovers often has a bad cable or transceiver.`,
  family: INFINIBAND,
  isExplained: true,
  width: 12,
  height: 8,
  queries: [
    rows(
      `${named(`topk(20, ${atEnd('portErrors', CHOSEN, PORT)} > ${ERRORS_AN_HOUR} * $__range_s / 3600 or 0 * (${atEnd('linksDown', CHOSEN, PORT)} > 0))`)} or on () label_replace(0 * ${atEnd('ports', CHOSEN)} - 1, "node", "All is well: no port has errors", "", "") or on () label_replace(absent(${atEnd('ports', platformWide)}) - 2, "node", "There are no InfiniBand ports", "", "")`
    ),
    rows(named(`${atEnd('linksDown', CHOSEN, PORT)} > 0`)),
    rows(named(`topk(50, ${atEnd('portWaits', CHOSEN, PORT)})`)),
  ],
  required: 'Value #A',
  columns: {
    node: { title: 'Node', link: toNode(true), minWidth: 130, wrap: true },
    hca_number: { title: 'Port', width: 70 },
    'Value #A': {
      title: 'Errors',
      words: { ...DASH, '-2': { text: '–', color: 'text' } },
      unit: 'locale',
      decimals: 0,
      width: 90,
      cell: 'color-text',
      steps: plain,
    },
    'Value #B': { title: 'Links down', decimals: 0, width: 100, cell: 'color-text', steps: badIfAny },
    'Value #C': { title: 'Waits', unit: 'percentunit', decimals: 0, width: 75 },
  },
  sortBy: 'Errors',
});

const lines = (
  title: string,
  family: Family,
  names: Partial<Record<QuantityName, string>>,
  more: { by?: string; legend?: string; of?: typeof CHOSEN; width?: number; height?: number } = {}
) => {
  const { by = '', legend = '', of = CHOSEN, ...size } = more;
  const entries = Object.entries(names) as Array<[QuantityName, string]>;
  return graph({
    title,
    description: `${entries.map(([name, short]) => `${short}: ${QUANTITIES[name].meaning}`).join('. ')}.`,
    family,
    width: 12,
    height: 8,
    unit: QUANTITIES[entries[0][0]].unit,
    min: 0,
    ...size,
    queries: entries.map(([name, short]) => range(inSteps(name, of, by), legend ? `${legend} ${short}` : short)),
  });
};

const throughput = graph({
  title: 'Throughput of the nodes that send most',
  description: 'Sent by each of the eight nodes that sent most at the end of the range, over their ports; and by all.',
  family: INFINIBAND,
  width: 24,
  height: 7,
  unit: 'Bps',
  min: 0,
  link: toNode(),
  queries: [
    range(named(inSteps('portSent', chosenClusters('vm_name=~"$busiest"'), MACHINE)), '{{node}}'),
    range(inSteps('portSent', CHOSEN), 'All chosen nodes'),
  ],
  looks: { 'All chosen nodes': { color: 'text', lineWidth: 2 } },
});

const errors = graph({
  title: 'Port errors over time',
  description:
    'Counted from each bar’s left edge to the next, so that bars add up to the whole. Received with errors points at cables, discarded at congestion.',
  family: INFINIBAND,
  width: 12,
  height: 8,
  unit: 'short',
  decimals: 0,
  min: 0,
  bars: true,
  queries: PORT_EVENTS.map(([kind, title]) => range(portEventsInSteps(kind, CHOSEN), title)),
});

/** The name of a disk in metrics is that of the main API. */
const DISKS: TypedQuery = {
  queryType: 'platform',
  path: listAt('/v1/projects/{projectId}/storage/disks')!.path,
  root: 'items',
  maxPages: 100,
  columns: [
    { selector: 'name', name: 'disk_name' },
    { selector: 'size_bytes', type: 'number', unit: 'bytes' },
  ],
};

const shared = list({
  title: 'Shared disks of all clusters, and when they are full',
  description:
    'How much is stored, as a share of the size that the main API has, and in how many days the disk is full if it grows as in the past day. A disk that doesn’t grow has no such day. Collected every 5 minutes.',
  family: SHARED_DISK,
  width: 12,
  height: 7,
  queries: [
    rows(atEnd('sharedDiskUsed', platformWide, 'disk_name')),
    rows(`${atEnd('sharedDiskGrowth', platformWide, 'disk_name')} > 0`),
    DISKS,
  ],
  required: 'Value #A',
  computed: {
    share: ['Value #A', '/', 'size_bytes'],
    left: ['size_bytes', '-', 'Value #A'],
    days: ['left', '/', 'Value #B'],
  },
  columns: {
    disk_name: { title: 'Disk', minWidth: 130 },
    share: shareGauge('Used', badAbove(0.8, 0.9)),
    'Value #A': { title: 'Stored', unit: 'bytes', decimals: 1, width: 90 },
    'Value #B': { title: 'Growth a day', unit: 'bytes', decimals: 1, width: 110 },
    days: { title: 'Full in', unit: 'd', decimals: 0, width: 80, cell: 'color-text', steps: badBelow(4, 14) },
  },
  sortBy: 'Used',
});

const filling = list({
  title: 'Fullest file systems',
  description: 'Boot, persistent and ephemeral disks as the machines see them, the twenty fullest.',
  family: DISK,
  width: 12,
  height: 7,
  queries: [rows(named(`topk(20, ${atEnd('diskFull', CHOSEN, `${MACHINE}, mount_point`)})`))],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    mount_point: { title: 'Mounted at' },
    Value: shareGauge('Full', badAbove(0.8, 0.9)),
  },
  sortBy: 'Full',
});

const DRIVE = `${MACHINE}, device`;
const wear = list({
  title: 'Local NVMe drives',
  description:
    'The twenty most worn drives. At 100 % the maker’s rated life is used up; few spare blocks, media errors or a warning mean that a drive is about to fail. What is on it is lost with the machine.',
  family: NVME,
  width: 24,
  height: 7,
  queries: [
    rows(named(`topk(20, ${atEnd('nvmeWear', CHOSEN, DRIVE)})`)),
    ...(['nvmeSpare', 'nvmeErrors', 'nvmeWarning'] as const).map((name) => rows(named(atEnd(name, CHOSEN, DRIVE)))),
  ],
  required: 'Value #A',
  columns: {
    node: { title: 'Node', link: toNode(true), minWidth: 120 },
    device: { title: 'Device', width: 90 },
    'Value #A': { title: 'Wear', unit: 'percent', min: 0, max: 100, cell: 'gauge', steps: badAbove(70, 90) },
    'Value #B': { title: 'Spare', unit: 'percent', cell: 'color-text', steps: badBelow(10, 30), width: 70 },
    'Value #C': { title: 'Media errors', cell: 'color-text', steps: badIfAny, width: 100 },
    'Value #D': {
      title: 'Warning',
      cell: 'color-text',
      steps: badIfAny,
      words: { 0: { text: 'no' }, 1: { text: 'yes' } },
      width: 80,
    },
  },
  sortBy: 'Wear',
});

const latency = graph({
  title: 'Latency of disks, mean',
  description:
    'Of the slowest shared disk of all clusters, and of boot, persistent and ephemeral disks of the chosen nodes.',
  family: DISK,
  width: 12,
  height: 8,
  unit: 's',
  min: 0,
  queries: [
    range(inSteps('sharedDiskReadLatency', platformWide), 'Shared, read'),
    range(inSteps('sharedDiskWriteLatency', platformWide), 'Shared, write'),
    range(inSteps('diskReadLatency', CHOSEN), 'Others, read'),
    range(inSteps('diskWriteLatency', CHOSEN), 'Others, write'),
  ],
});

export const network = () =>
  board({
    uid: 'gpucloud-network',
    title: 'Network and storage',
    question: 'Who waits?',
    description: 'InfiniBand ports, shared and local disks, object storage and load balancers.',
    refresh: '5m',
    variables: [
      prefix(),
      clusters(),
      machines('${prefix}_vm_memory_total_bytes'),
      nodesWith('busiest', `topk(8, ${atEnd('portSent', CHOSEN, 'vm_name')})`, 'Nodes that send most', 'vm_name'),
    ],
    sections: [
      { panels: [now, ports, latency] },
      { title: 'Ports over time', folded: true, panels: [errors, throughput] },
      {
        title: 'Storage',
        panels: [shared, filling, wear],
      },
      {
        title: 'Object storage',
        folded: true,
        panels: [
          lines(
            'Object storage',
            OBJECT_STORAGE,
            { objectsReceived: 'received', objectsSent: 'sent' },
            { by: 'endpoint', legend: '{{endpoint}}' }
          ),
          lines(
            'Time to connect to object storage, mean',
            OBJECT_STORAGE,
            { objectLatency: '' },
            { by: 'endpoint', legend: '{{endpoint}}' }
          ),
        ],
      },
      {
        title: 'Load balancers',
        folded: true,
        panels: [
          lines(
            'New connections',
            LOAD_BALANCER,
            { newConnections: '' },
            { by: 'elb_name, proto, vip_port', legend: '{{elb_name}} {{proto}}/{{vip_port}}', of: platformWide }
          ),
          lines(
            'Traffic of load balancers',
            LOAD_BALANCER,
            { balancerReceived: 'from clients', balancerSent: 'to clients' },
            { by: 'elb_name', legend: '{{elb_name}}', of: platformWide }
          ),
        ],
      },
    ],
  });
