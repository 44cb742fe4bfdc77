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
import { counted, fixed, NODE, oneOrMany } from '../texts.ts';

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

/** Links that went down. One that went down and began to count again is down, or was and is not. */
const WENT_DOWN = `${risen(PORT, anyVendor('ib_port_link_downed'), QUARTER_HOUR)} > 0`;

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
      query: now(inService(`${WENT_DOWN} or ${IS_DOWN}`)),
      keepFiringFor: '15m',
      summary:
        'Fires when the InfiniBand link of a port went down within 15 minutes, and for as long as it is down, on a node that is in service.',
      description: `The InfiniBand link of ${PORT_TEXT} went down within the past 15 minutes, or is down. Jobs over several nodes may hang or fail.`,
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

/**
 * In four days, by the growth of six hours, with less than 15 % left: as KubePersistentVolumeFillingUp of kubernetes-mixin has it; and by that
 * of a day. A data set that was loaded once does not grow. A disk that is emptied at 75 or 80 % never fires.
 */
const fullSoon = (): string => {
  const by = (expr: string) => `max by (${FILE_SYSTEM}) (${named(expr)})`;
  const [used, total] = ['used', 'total'].map((name) => anyVendor(`vm_disk_bytes_${name}`));
  const tooMuch = (grown: string) => `${by(`predict_linear(${used}[${grown}], 4 * 86400)`)} / ${by(total)} > 1`;
  return `${tooMuch('6h')} and ${tooMuch('1d')} and ${atEnd('diskFull', EVERYTHING, FILE_SYSTEM)} > 0.85 <= 0.9`;
};

/**
 * The mean of a quarter of an hour as a multiple of that of a day: units and usual values differ between platforms. A latency of 0 is that of no
 * operation.
 */
const slowerThanUsual = (latency: string): string => {
  const samples = anyVendor(`sdisk_disk_${latency}`);
  const mean = (window: string) => `max by (disk_name) (avg_over_time((${samples} > 0)[${window}]))`;
  return `topk(100, ${mean('15m:1m')} / ${mean('1d:5m')})`;
};

/** Likewise, of the connections to object storage. */
const CONNECTING = `${atEnd('objectLatency', EVERYTHING, 'endpoint')} / ${quantity('objectLatency', EVERYTHING, 'endpoint', '1d')}`;

export const storage: RuleGroup = {
  name: 'Storage',
  interval: '1m',
  rules: [
    {
      id: 'disk-nearly-full',
      title: 'Disk nearly full',
      severity: 'warning',
      query: now(`100 * topk(100, ${atEnd('diskFull', EVERYTHING, FILE_SYSTEM)})`),
      conditions: [threshold('A', 'gt', 90)],
      pending: '15m',
      summary: 'Fires when more than 90 % of a file system is used.',
      description: `{{ $labels.mount_point }} of ${NODE} ({{ $labels.device }}) is ${fixed('A', 1)} % full.`,
      action: 'Delete old checkpoints and caches, or enlarge the disk, before the next checkpoint: it may not fit.',
      link: {
        board: 'node',
        panel: 'Host memory and disks',
        variables: ON_NODE,
        hours: 24,
        states: { board: 'network', panel: 'Fullest file systems' },
      },
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
      description: `{{ $labels.mount_point }} of ${NODE} ({{ $labels.device }}) will be ${fixed('A', 0)} % full in four days if it grows as in the past six hours.`,
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
      query: now(`topk(100, ${CONNECTING} and ${atEnd('objectLatency', EVERYTHING, 'endpoint')} > 0.2)`),
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

const FLOWS = anyVendor('elb_new_flows');
const LISTENER = 'elb_name, vip_port, proto';
const LEAST_OF_DAY = `min_over_time(sum by (${LISTENER}) (rate(${FLOWS}[15m]))[1d:15m] offset 2h)`;

export const loadBalancer: RuleGroup = {
  name: 'Load balancer',
  interval: '1m',
  rules: [
    {
      id: 'load-balancer-drop',
      title: 'Load-balancer traffic dropped',
      severity: 'critical',
      // The least of a day: the end of a client that comes and goes is no drop. A listener that vanishes has 0.
      query: now(`
          100 * (sum by (${LISTENER}) (rate(${FLOWS}[5m])) or 0 * ${LEAST_OF_DAY})
          / (${LEAST_OF_DAY} > 1)`),
      conditions: [threshold('A', 'lt', 30)],
      pending: '5m',
      summary:
        'Fires when a load balancer gets less than 30 % of the least of new connections that it had at any time of the day before.',
      description: `Load balancer {{ $labels.elb_name }}, port {{ $labels.vip_port }}, gets ${fixed('A', 1)} % of the least of new connections that it had at any time of the day before.`,
      action: 'Check the health of the servers behind it, then name resolution and certificates.',
      link: {
        board: 'network',
        panel: 'New connections and traffic',
        variables: { balancer: '$labels.elb_name' },
      },
    },
  ],
};

export const slurm: RuleGroup = {
  name: 'Slurm',
  interval: '1m',
  rules: [
    {
      id: 'slurm-nodes-down',
      title: 'Slurm nodes down',
      severity: 'critical',
      query: now(`max by (cluster_id) (${anyVendor('slurm_nodes_down')})`),
      pending: '5m',
      summary: 'Fires when nodes do not respond to the Slurm scheduler.',
      description: `${counted('A', 'node')} of Slurm cluster {{ $labels.cluster_id }} ${oneOrMany('A', 'does', 'do')} not respond to the scheduler.`,
      action: 'Read the reason with sinfo -R, and look for XID errors on the nodes.',
      link: { board: 'queue', panel: 'Nodes by state', variables: { slurm_cluster: '$labels.cluster_id' } },
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

/** Families that a cluster, or what belongs to none, had at some time of a day, and has not now. */
const stopped = (wanted: 'urgent' | 'lesser'): string =>
  COLLECTED.filter(({ needed }) => needed === wanted)
    .map(({ title, metric }) => {
      const selector = metric.startsWith('DCGM_') ? anywhere(metric) : anyVendor(metric);
      const there = (window: string, ago = '') =>
        `group by (cluster_id) (${over('last_over_time', selector, window, ago)})`;
      const was = ['1h', '6h', '1d'].map((ago) => there('15m', ` offset ${ago}`)).join(' or ');
      return `label_replace((${was}) unless ${there('20m')}, "family", "${title}", "", "")`;
    })
    .join(' or ');

const OF_CLUSTER = '{{ with $labels.cluster_id }} of cluster {{ . }}{{ end }}';

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
      query: now(stopped('urgent')),
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
      query: now(stopped('lesser')),
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
