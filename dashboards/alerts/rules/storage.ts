import { quantity } from '../../../src/catalog/quantities.ts';
import { named, NODE_LABELS } from '../../lib/host.ts';
import { anyVendor, atEnd, EVERYTHING } from '../../lib/quantities.ts';
import { risen } from '../past.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed, NODE, NODE_NAME, valueOf } from '../texts.ts';

const DRIVE = `${NODE_LABELS}, device`;

/** A file system of a machine. */
const FILE_SYSTEM = `${NODE_LABELS}, device, mount_point`;

const DISKS = { board: 'network', panel: 'Fullest file systems', hours: 24 } as const;

const USED = anyVendor('vm_disk_bytes_used');
const TOTAL = `last_over_time(${anyVendor('vm_disk_bytes_total')}[15m])`;

/** A number of each file system, of series that have the same labels: those of an exporter that restarts begin anew. */
const each = (expr: string): string => `max by (${FILE_SYSTEM}) (${named(`(${expr})`)})`;

const SHARE = `max_over_time(${USED}[10m]) / ${TOTAL}`;
const FULL = each(SHARE);

/** What a file system is called on all nodes that have it. */
const MOUNT = 'cluster_id, device, mount_point';

/** Those that are equally full on three nodes or more: one that they share, or one cause. Samples of nodes differ by some seconds. */
const SHARED = `(stddev by (${MOUNT}) (${SHARE}) < 0.003 and count by (${MOUNT}) (${SHARE}) >= 3)`;

/** A number of each file system, and one of all nodes that share it. */
const onceIfShared = (expr: string): string =>
  `${expr} unless on (${MOUNT}) ${SHARED} or max by (${MOUNT}) (${expr}) and on (${MOUNT}) ${SHARED}`;

/**
 * File systems that were nearly full a day ago, give or take two hours, and were emptied before and after that: a backup that is written every
 * night fills its disk as it is meant to. The one that is not emptied is found two hours later than usual.
 */
const CYCLES = each(
  [
    `max_over_time(${USED}[4h] offset 22h) / ${TOTAL} > 0.85`,
    ...['', ' offset 1d'].map((ago) => `min_over_time(${USED}[20h]${ago}) / ${TOTAL} < 0.75`),
  ].join(' and ')
);

/** Without a node it is one that several share. */
const OF_NODES = `{{ with ${NODE_NAME} }}of {{ . }}{{ else }}of several nodes{{ end }}`;

/**
 * In four days, by the growth of six hours, with less than 15 % left: as KubePersistentVolumeFillingUp of kubernetes-mixin has it; and by that
 * of a day. A data set that was loaded once does not grow. A disk that is emptied at 75 or 80 % never fires.
 */
const FULL_SOON = ((): string => {
  const tooMuch = (grown: string) => `predict_linear(${USED}[${grown}], 4 * 86400) / ${TOTAL} > 1`;
  return onceIfShared(each(`${USED} / ${TOTAL} > 0.85 <= 0.9 and ${tooMuch('6h')} and ${tooMuch('1d')}`));
})();

/**
 * The median of a quarter of an hour, which has nothing of a burst of some minutes, as a multiple of the mean of a day that ended six hours ago,
 * or else of the last one: a disk that is slow would soon be the mean of the day. Units and usual values differ between platforms. A latency of 0
 * is that of no operation.
 */
const slowerThanUsual = (latency: string): string => {
  const samples = anyVendor(`sdisk_disk_${latency}`);
  const most = (of: string) => `max by (disk_name) (${of})`;
  const usual = [' offset 6h', ''].map((ago) => most(`avg_over_time((${samples} > 0)[1d:5m]${ago})`)).join(' or ');
  return `topk(100, ${most(`quantile_over_time(0.5, (${samples} > 0)[15m:1m])`)} / (${usual}))`;
};

const CONNECTING = `(${atEnd('objectLatency', EVERYTHING, 'endpoint')})`;

/** The mean of a day that ended some hours ago: connections that fail are repeated, and would soon be most of those of a day. */
const CONNECTED = `(${quantity('objectLatency', EVERYTHING, 'endpoint', '1d').replaceAll('[1d]', '[1d] offset 6h')})`;

export const storage: RuleGroup = {
  name: 'Storage',
  rules: [
    {
      id: 'disk-nearly-full',
      title: 'Disk nearly full',
      severity: 'warning',
      query: `100 * topk(100, (${onceIfShared(FULL)}) > 0.9 unless on (${FILE_SYSTEM}) ${CYCLES} or ${FULL_SOON})`,
      pending: '15m',
      description: `{{ $labels.mount_point }} ${OF_NODES} ({{ $labels.device }}) is ${fixed(1)} % full{{ if le ${valueOf()} 90.0 }}, and will be in four days as it grows{{ end }}.`,
      action: 'Delete old checkpoints and caches, or enlarge the disk, before the next checkpoint: it may not fit.',
      link: DISKS,
    },
    {
      id: 'disk-full',
      title: 'Disk full',
      severity: 'critical',
      query: `100 * topk(100, ${onceIfShared(FULL)})`,
      above: 99,
      pending: '5m',
      description: `{{ $labels.mount_point }} ${OF_NODES} ({{ $labels.device }}) is ${fixed(1)} % full: what writes to it fails.`,
      action:
        'Delete what is not needed at once, then look for what fills it. Jobs that failed start again from a checkpoint.',
      link: DISKS,
    },
    {
      id: 'nvme-wear',
      title: 'Local NVMe drive wears out',
      severity: 'warning',
      query: `
          topk(100, ${atEnd('nvmeWear', EVERYTHING, DRIVE)} > 90)
          or 100 * topk(100, ${atEnd('nvmeWarning', EVERYTHING, DRIVE)} > 0)
          or 100 * topk(100, ${risen(DRIVE, anyVendor('vm_nvme_media_errors_total'), '1d', '8h', '2h')} > 0)`,
      pending: '15m',
      keepFiringFor: '1h',
      description: `A local NVMe drive of ${NODE}{{ with $labels.device }} ({{ . }}){{ end }} has used up 90 % of its rated life, warns that it is about to fail, or could not correct errors within a day.`,
      action: 'Copy what is needed off the drive, and have the machine replaced at the end of its job.',
      link: { board: 'network', panel: 'Local NVMe drives' },
    },
    {
      id: 'host-memory',
      title: 'Host memory nearly full',
      severity: 'warning',
      query: `100 * topk(100, ${atEnd('hostMemory', EVERYTHING, NODE_LABELS)})`,
      above: 95,
      pending: '15m',
      description: `${fixed(0)} % of the memory of ${NODE} is in use. When it is full, the kernel ends a process.`,
      action: 'Look for data loaders that keep growing: fewer workers, or smaller queues.',
      link: { board: 'node', panel: 'Host memory and disks' },
    },
    {
      id: 'shared-disk-slow',
      title: 'Shared disk slow',
      severity: 'warning',
      query: `
          ${slowerThanUsual('read_latency')}
          or ${slowerThanUsual('write_latency')}`,
      above: 5,
      pending: '15m',
      description: `Shared disk {{ $labels.disk_name }} takes ${fixed(1)} times as long as on average of a day.`,
      action: 'Look which nodes read or write most, and move checkpoints apart in time.',
      link: { board: 'network', panel: 'Latency of disks, mean', hours: 24 },
    },
    {
      id: 'object-storage-slow',
      title: 'Object storage slow',
      severity: 'warning',
      query: `topk(100, ${CONNECTING} / ${CONNECTED} and ${CONNECTING} > 0.2)`,
      above: 5,
      pending: '15m',
      description: `Connecting to {{ $labels.endpoint }} takes ${fixed(1)} times as long as on average of the past day.`,
      action: 'Look whether all machines are slow: then report the endpoint, else look at the network of the machine.',
      link: { board: 'network', panel: 'Time to connect to object storage, mean', hours: 24 },
    },
  ],
};
