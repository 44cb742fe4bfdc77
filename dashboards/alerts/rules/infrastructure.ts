import { quantity } from '../../../src/catalog/quantities.ts';
import { COLLECTED } from '../../lib/collected.ts';
import { named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { anyVendor, atEnd, EVERYTHING } from '../../lib/quantities.ts';
import { inService } from '../drained.ts';
import { now, threshold } from '../expressions.ts';
import { ON_NODE } from '../links.ts';
import { highest, risen } from '../past.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE, NODE_NAME, OF_CLUSTER, oneOrMany } from '../texts.ts';

const DRIVE = `${NODE_LABELS}, device`;

const PORT = `${NODE_LABELS}, hca_number`;
const PORT_TEXT = `port {{ $labels.hca_number }} of ${NODE}`;
const ON_MACHINE = { cluster: '$labels.cluster_id', machines: '$labels.vm_name' };

const LINE_RATE = anyVendor('ib_port_line_rate');

/** A quarter of an hour ago, or a bit more where samples are missing. */
const QUARTER_HOUR = ['15m', '30m'];

/** How often something happened to a port, with a label that says what. */
const portEvents = (metric: string, event: string): string =>
  `label_replace(${risen(PORT, anyVendor(`ib_port_${metric}`), QUARTER_HOUR)}, "event", "${event}", "", "")`;

const LINK_DOWNED = anyVendor('ib_port_link_downed');

/** Links that went down. One that went down and began to count again is down, or was and is not. */
const WENT_DOWN = `${risen(PORT, LINK_DOWNED, QUARTER_HOUR)} > 0`;

/** Those that went down again within an hour: a job outlives a link that comes back after a second, once. */
const FLAPS = `${risen(PORT, LINK_DOWNED, ['1h', '2h'])} > 1`;

/** Ports that had a link on one of the 28 days that the platform still knows. One that never had is not used. */
const WAS_UP = `(${[
  over('max_over_time', LINE_RATE, '1d'),
  ...Array.from({ length: 14 }, (_, i) => over('last_over_time', LINE_RATE, '15m', ` offset ${2 * (i + 1)}d`)),
]
  .map((rate) => `max by (${PORT}) (${named(rate)}) > 0`)
  .join(' or ')})`;

const IS_DOWN = `(${WAS_UP} and 1 + ${highest(PORT, LINE_RATE)} == 1)`;

/** The platform collects InfiniBand every 5 minutes: a quarter of an hour holds three samples. */
export const infiniband: RuleGroup = {
  name: 'InfiniBand',
  interval: '5m',
  rules: [
    {
      id: 'infiniband-link-down',
      title: 'InfiniBand link down',
      severity: 'critical',
      query: now(inService(`${FLAPS} or ${IS_DOWN}`)),
      keepFiringFor: '15m',
      summary:
        'Fires for as long as the InfiniBand link of a port is down, or when it went down twice within an hour, on a node that is in service.',
      description: `The InfiniBand link of ${PORT_TEXT} is down, or went down several times within an hour. Jobs over several nodes may hang or fail.`,
      action:
        'Look whether ports of other nodes went down, too: then it is a switch. If not, drain the node and report its port.',
      link: { board: 'network', panel: 'Worst ports', variables: ON_MACHINE },
    },
    {
      id: 'infiniband-errors',
      title: 'InfiniBand errors',
      severity: 'warning',
      query: now(`
          topk(100,
            (
              ${portEvents('error_rx', 'packets with errors')}
              or ${portEvents('xmit_discard', 'discarded packets')}
              or ${portEvents('link_error_recovery', 'link recoveries')}
            ) unless on (${PORT}) (${WENT_DOWN} or ${IS_DOWN})
          )`),
      conditions: [threshold('A', 'gt', 10)],
      pending: '5m',
      summary:
        'Fires when a port counts errors, discarded packets or link recoveries, more than 10 within 15 minutes, and its link did not go down.',
      description: `InfiniBand ${PORT_TEXT} counted ${fixed('A', 0)} {{ $labels.event }} within 15 minutes.`,
      action:
        'Report the port if it is the only one: a cable or an adapter. On many ports at once it is a switch, or congestion if packets are discarded.',
      link: { board: 'network', panel: 'Worst ports', variables: ON_MACHINE },
    },
  ],
};

/** A file system of a machine. */
const FILE_SYSTEM = `${NODE_LABELS}, device, mount_point`;

const DISKS = { board: 'network', panel: 'Fullest file systems' } as const;

const FULL = atEnd('diskFull', EVERYTHING, FILE_SYSTEM);

/** What a file system is called on all nodes that have it. */
const MOUNT = 'cluster_id, device, mount_point';

/** Those that are equally full on three nodes or more: one that they share, or one cause. Samples of nodes differ by some seconds. */
const SHARED = `(max by (${MOUNT}) (${FULL}) - min by (${MOUNT}) (${FULL}) < 0.005 and count by (${MOUNT}) (${FULL}) >= 3)`;

/** A number of each file system, and one of all nodes that share it. */
const onceIfShared = (expr: string): string =>
  `${expr} unless on (${MOUNT}) ${SHARED} or max by (${MOUNT}) (${expr}) and on (${MOUNT}) ${SHARED}`;

const FULLEST = `100 * topk(100, ${onceIfShared(FULL)})`;

/** Without a node it is one that several share. */
const OF_NODES = `{{ with ${NODE_NAME} }}of {{ . }}{{ else }}of several nodes{{ end }}`;

/**
 * In four days, by the growth of six hours, with less than 15 % left: as KubePersistentVolumeFillingUp of kubernetes-mixin has it; and by that
 * of a day. A data set that was loaded once does not grow. A disk that is emptied at 75 or 80 % never fires.
 */
const fullSoon = (): string => {
  const by = (expr: string) => `max by (${FILE_SYSTEM}) (${named(expr)})`;
  const [used, total] = ['used', 'total'].map((name) => anyVendor(`vm_disk_bytes_${name}`));
  const tooMuch = (grown: string) => `${by(`predict_linear(${used}[${grown}], 4 * 86400)`)} / ${by(total)} > 1`;
  return onceIfShared(`(${tooMuch('6h')} and ${tooMuch('1d')} and ${FULL} > 0.85 <= 0.9)`);
};

/**
 * The median of a quarter of an hour, which has nothing of a burst of some minutes, as a multiple of the mean of a day: units and usual values
 * differ between platforms. A latency of 0 is that of no operation.
 */
const slowerThanUsual = (latency: string): string => {
  const samples = anyVendor(`sdisk_disk_${latency}`);
  const most = (of: string) => `max by (disk_name) (${of})`;
  return `topk(100, ${most(`quantile_over_time(0.5, (${samples} > 0)[15m:1m])`)} / ${most(`avg_over_time((${samples} > 0)[1d:5m])`)})`;
};

const CONNECTING = `(${atEnd('objectLatency', EVERYTHING, 'endpoint')})`;

/** The mean of a day that ended some hours ago: connections that fail are repeated, and would soon be most of those of a day. */
const CONNECTED = `(${quantity('objectLatency', EVERYTHING, 'endpoint', '1d').replaceAll('[1d]', '[1d] offset 6h')})`;

export const storage: RuleGroup = {
  name: 'Storage',
  interval: '1m',
  rules: [
    {
      id: 'disk-nearly-full',
      title: 'Disk nearly full',
      severity: 'warning',
      query: now(FULLEST),
      conditions: [threshold('A', 'gt', 90)],
      pending: '15m',
      summary: 'Fires when more than 90 % of a file system is used.',
      description: `{{ $labels.mount_point }} ${OF_NODES} ({{ $labels.device }}) is ${fixed('A', 1)} % full.`,
      action: 'Delete old checkpoints and caches, or enlarge the disk, before the next checkpoint: it may not fit.',
      link: { ...DISKS, variables: ON_MACHINE, hours: 24 },
    },
    {
      id: 'disk-full',
      title: 'Disk full',
      severity: 'critical',
      query: now(FULLEST),
      conditions: [threshold('A', 'gt', 99)],
      pending: '5m',
      summary: 'Fires when more than 99 % of a file system is used.',
      description: `{{ $labels.mount_point }} ${OF_NODES} ({{ $labels.device }}) is ${fixed('A', 1)} % full: what writes to it fails.`,
      action:
        'Delete what is not needed at once, then look for what fills it. Jobs that failed start again from a checkpoint.',
      link: { ...DISKS, variables: ON_MACHINE, hours: 24 },
    },
    {
      id: 'disk-full-soon',
      title: 'Disk full within four days',
      severity: 'warning',
      query: now(`100 * topk(100, ${fullSoon()})`),
      conditions: [threshold('A', 'gt', 100)],
      pending: '1h',
      summary:
        'Fires when a file system that is used by 85 to 90 % will be full in four days, as it grew in a day and in six hours.',
      description: `{{ $labels.mount_point }} ${OF_NODES} ({{ $labels.device }}) will be ${fixed('A', 0)} % full in four days if it grows as in the past six hours.`,
      action: 'Delete old checkpoints and caches, or enlarge the disk.',
      link: { ...DISKS, variables: ON_MACHINE, hours: 24 },
    },
    {
      id: 'nvme-wear',
      title: 'Local NVMe drive wears out',
      severity: 'warning',
      query: now(`
          topk(100, ${atEnd('nvmeWear', EVERYTHING, DRIVE)} > 90)
          or 100 * topk(100, ${atEnd('nvmeWarning', EVERYTHING, DRIVE)} > 0)`),
      pending: '15m',
      keepFiringFor: '1h',
      summary: 'Fires when a local NVMe drive has used up 90 % of its rated life, or warns that it is about to fail.',
      description: `A local NVMe drive of ${NODE}{{ with $labels.device }} ({{ . }}){{ end }} has used up 90 % of its rated life, or warns that it is about to fail.`,
      action: 'Copy what is needed off the drive, and have the machine replaced at the end of its job.',
      link: { board: 'network', panel: 'Local NVMe drives', variables: ON_MACHINE },
    },
    {
      id: 'host-memory',
      title: 'Host memory nearly full',
      severity: 'warning',
      query: now(`100 * topk(100, ${atEnd('hostMemory', EVERYTHING, NODE_LABELS)})`),
      conditions: [threshold('A', 'gt', 95)],
      pending: '15m',
      summary: 'Fires when more than 95 % of the memory of a machine is in use for 15 minutes.',
      description: `${fixed('A', 0)} % of the memory of ${NODE} is in use. When it is full, the kernel ends a process.`,
      action: 'Look for data loaders that keep growing: fewer workers, or smaller queues.',
      link: { board: 'node', panel: 'Host memory and disks', variables: ON_NODE, states: DISKS },
    },
    {
      id: 'shared-disk-slow',
      title: 'Shared disk slow',
      severity: 'warning',
      query: now(`
          ${slowerThanUsual('read_latency')}
          or ${slowerThanUsual('write_latency')}`),
      conditions: [threshold('A', 'gt', 5)],
      pending: '15m',
      summary: 'Fires when reads or writes of a shared disk take five times as long as on average of a day.',
      description: `Shared disk {{ $labels.disk_name }} takes ${fixed('A', 1)} times as long as in the past day.`,
      action: 'Look which nodes read or write most, and move checkpoints apart in time.',
      link: { board: 'network', panel: 'Latency of disks, mean', variables: { disk: '$labels.disk_name' }, hours: 24 },
    },
    {
      id: 'object-storage-slow',
      title: 'Object storage slow',
      severity: 'warning',
      query: now(`topk(100, ${CONNECTING} / ${CONNECTED} and ${CONNECTING} > 0.2)`),
      conditions: [threshold('A', 'gt', 5)],
      pending: '15m',
      summary:
        'Fires when connecting to object storage takes five times as long as on average of a day, and 0.2 s at least.',
      description: `Connecting to {{ $labels.endpoint }} takes ${fixed('A', 1)} times as long as on average of the past day.`,
      action: 'Look whether all machines are slow: then report the endpoint, else look at the network of the machine.',
      link: {
        board: 'network',
        panel: 'Time to connect to object storage, mean',
        variables: { endpoint: '$labels.endpoint' },
        hours: 24,
      },
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
const answers = (window: string): string => `${perSecond('out_packets', window)} / ${perSecond('in_packets', window)}`;
const ANSWERS_LEFT = `100 * (${answers('5m')}) / ${leastOfDay(answers('15m'))} and ${LEAST_FLOWS} > 1`;

const ofTraffic = (expr: string, traffic: string): string => `label_replace(${expr}, "traffic", "${traffic}", "", "")`;

export const loadBalancer: RuleGroup = {
  name: 'Load balancer',
  interval: '1m',
  rules: [
    {
      id: 'load-balancer-drop',
      title: 'Load-balancer traffic dropped',
      severity: 'critical',
      query: now(`${ofTraffic(FLOWS_LEFT, 'new connections')} or ${ofTraffic(ANSWERS_LEFT, 'answers')}`),
      conditions: [threshold('A', 'lt', 30)],
      pending: '5m',
      keepFiringFor: '1h',
      summary:
        'Fires when a load balancer suddenly gets less than 30 % of the least of new connections that it had at any time of the day before, or passes on so few answers.',
      description: `Load balancer {{ $labels.elb_name }}, port {{ $labels.vip_port }}, has ${fixed('A', 1)} % of the least of {{ $labels.traffic }} that it had at any time of the day before.`,
      action: 'Check the health of the servers behind it, then name resolution and certificates.',
      link: {
        board: 'network',
        panel: 'New connections and traffic',
        variables: { balancer: '$labels.elb_name' },
      },
    },
  ],
};

const CYCLE = anyVendor('slurm_schedule_cycle_last');

/** A scheduler that works has another length, in microseconds, of each cycle. */
const NO_CYCLE = `max by (cluster_id) (max_over_time(${CYCLE}[30m])) == max by (cluster_id) (min_over_time(${CYCLE}[30m]))`;

export const slurm: RuleGroup = {
  name: 'Slurm',
  interval: '1m',
  rules: [
    {
      id: 'slurm-nodes-down',
      title: 'Slurm nodes down',
      severity: 'warning',
      query: now(`max by (cluster_id) (${anyVendor('slurm_nodes_down')})`),
      pending: '5m',
      summary: 'Fires when nodes do not respond to the Slurm scheduler.',
      description: `${counted('A', 'node')} of Slurm cluster {{ $labels.cluster_id }} ${oneOrMany('A', 'does', 'do')} not respond to the scheduler.`,
      action: 'Read the reason with sinfo -R, and look for XID errors on the nodes.',
      link: { board: 'queue', panel: 'Nodes by state', variables: { slurm_cluster: '$labels.cluster_id' } },
    },
    {
      id: 'slurm-scheduler-stopped',
      title: 'Slurm scheduler stopped',
      severity: 'critical',
      query: now(`
          ${atEnd('jobsPending', EVERYTHING, 'cluster_id')} > 0
          and ${atEnd('slurmIdle', EVERYTHING, 'cluster_id')} > 0
          and ${NO_CYCLE}`),
      pending: '5m',
      summary: 'Fires when Slurm’s scheduler has had no cycle for 30 minutes while jobs wait and nodes are idle.',
      description: `${counted('A', 'job')} of Slurm cluster {{ $labels.cluster_id }} ${oneOrMany('A', 'waits', 'wait')} while nodes are idle, and its scheduler has had no cycle for 30 minutes.`,
      action: 'Read the log of slurmctld and sdiag, and restart slurmctld if it hangs.',
      link: { board: 'queue', panel: 'Idle nodes while jobs wait', variables: { slurm_cluster: '$labels.cluster_id' } },
    },
    {
      id: 'slurm-idle-pending',
      title: 'Nodes idle while jobs wait',
      severity: 'info',
      query: now(`
          100 * ${atEnd('slurmIdle', EVERYTHING, 'cluster_id')} / ${atEnd('slurmNodes', EVERYTHING, 'cluster_id')}
          and ${atEnd('jobsPending', EVERYTHING, 'cluster_id')} > 0`),
      conditions: [threshold('A', 'gt', 25)],
      pending: '1h',
      summary: 'Fires when jobs wait for an hour while more than a quarter of the nodes are idle.',
      description: `${fixed('A', 0)} % of the nodes of Slurm cluster {{ $labels.cluster_id }} are idle while jobs wait.`,
      action: 'Read why with squeue: a limit of the user, a reservation, or a job that wants more nodes than are idle.',
      link: { board: 'queue', panel: 'Idle nodes while jobs wait', variables: { slurm_cluster: '$labels.cluster_id' } },
    },
  ],
};

/** Clusters, or what belongs to none, that had a metric at some time of a day, and have not now. */
function gone(metric: string): string {
  const selector = metric.startsWith('DCGM_') ? anywhere(metric) : anyVendor(metric);
  const there = (window: string, ago = '') =>
    `group by (cluster_id) (${over('last_over_time', selector, window, ago)})`;
  const was = ['1h', '6h', '1d'].map((ago) => there('15m', ` offset ${ago}`)).join(' or ');
  return `(${was}) unless ${there('20m')}`;
}

const family = (title: string, clusters: string): string => `label_replace(${clusters}, "family", "${title}", "", "")`;

/** What else the exporter of a metric says: where that is gone, too, the exporter is. */
const exporterOf = (metric: string): string =>
  metric.startsWith('DCGM_') ? 'DCGM_FI_DEV_FB_USED' : 'vm_memory_total_bytes';

const URGENT = COLLECTED.filter(({ needed }) => needed === 'urgent').map(({ title, metric }) =>
  family(title, gone(metric))
);
const LESSER = COLLECTED.filter(({ needed }) => needed === 'lesser').map(({ title, metric }) =>
  family(title, `${gone(metric)} unless (${gone(exporterOf(metric))})`)
);

export const reachability: RuleGroup = {
  name: 'Platform',
  interval: '1m',
  rules: [
    {
      id: 'platform-unreachable',
      title: 'Platform unreachable',
      severity: 'critical',
      query: now('vector(1)'),
      conditions: [threshold('A', 'lt', 1)],
      summary: 'Fires when the platform does not respond to a query that needs no data.',
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
      query: now(URGENT.join(' or ')),
      pending: '5m',
      summary:
        'Fires when a family of metrics that a cluster had within a day has had no sample for 20 minutes, and urgent rules need it.',
      description: `There have been no metrics of {{ $labels.family }}${OF_CLUSTER} for 20 minutes: rules on them cannot fire until they come back.`,
      action:
        'Look whether its exporter or the monitoring agent runs. Of GPUs it is the GPU operator, or DCGM’s exporter.',
      link: { board: 'health', panel: 'Metric families' },
    },
    {
      id: 'family-lesser-gone',
      title: 'Further metrics stopped',
      severity: 'warning',
      query: now(LESSER.join(' or ')),
      pending: '1h',
      summary:
        'Fires when profiling metrics, or those of local NVMe drives or object storage, that a cluster had within a day are missing for more than an hour.',
      description: `There have been no metrics of {{ $labels.family }}${OF_CLUSTER} for more than an hour.`,
      action:
        'Of profiling, look whether somebody profiles a job, which pauses them, else for the list of counters of the GPU exporter; of the others, whether the monitoring agent runs.',
      link: { board: 'health', panel: 'Metric families' },
    },
  ],
};
