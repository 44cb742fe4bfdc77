import { board } from '../lib/board.ts';
import { badAbove, badBelow, badIfAny, shareGauge } from '../lib/display.ts';
import { DISK, NVME, SHARED_DISK } from '../lib/families.ts';
import { toNode } from '../lib/links.ts';
import { graph, list } from '../lib/panels.ts';
import { average, mean, onNode, rate, vendor, withNode } from '../lib/promql.ts';
import { range, rows } from '../lib/queries.ts';
import { clusters, host, nodes, prefix, several } from '../lib/variables.ts';

const BOOT = '${prefix}_vm_disk_bytes_total';
const shared = (metric: string) => `${vendor(`sdisk_${metric}`)}{disk_name=~"$disk"}`;
const drive = (metric: string) => onNode(vendor(`vm_nvme_${metric}`));
const mounted = (metric: string) => onNode(vendor(`vm_disk_${metric}`));

const sharedGraph = (title: string, description: string, unit: string, read: string, write: string) =>
  graph({
    title,
    description,
    family: SHARED_DISK,
    width: 8,
    unit,
    min: 0,
    queries: [
      range(`sum by (disk_name) (${average(shared(read))})`, '{{disk_name}} read'),
      range(`sum by (disk_name) (${average(shared(write))})`, '{{disk_name}} written'),
    ],
  });

const capacity = graph({
  title: 'Space used on shared disks',
  description: 'Bytes stored on each disk. How large it is, is on the dashboard of capacity and quotas.',
  family: SHARED_DISK,
  width: 24,
  height: 7,
  unit: 'bytes',
  min: 0,
  legend: 'table',
  queries: [range(`max by (disk_name) (${average(shared('capacity_used_bytes'))})`, '{{disk_name}}')],
});

const MOST_WORN = `topk(50, max by (\${host}, device) (${drive('percentage_used')}))`;
/** Of the most worn drives only. */
const ofMostWorn = (expr: string) => rows(withNode(`${expr} and on (\${host}, device) ${MOST_WORN}`));

const wear = list({
  title: 'Local NVMe drives',
  description:
    'The fifty most worn drives. At 100 % the maker’s rated life is used up; few spare blocks, media errors or a warning mean that a drive is about to fail. What is on it is lost with the machine.',
  family: NVME,
  width: 24,
  height: 9,
  queries: [
    rows(withNode(MOST_WORN)),
    ofMostWorn(`min by (\${host}, device) (${drive('available_spare')})`),
    ofMostWorn(`max by (\${host}, device) (${drive('media_errors_total')})`),
    ofMostWorn(`max by (\${host}, device) (${drive('smart_critical_warning')})`),
    ofMostWorn(`max by (\${host}, device) (${drive('power_on_hours')})`),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    device: { title: 'Device' },
    'Value #A': { title: 'Wear', unit: 'percent', min: 0, max: 100, cell: 'gauge', steps: badAbove(70, 90) },
    'Value #B': { title: 'Spare', unit: 'percent', cell: 'color-text', steps: badBelow(10, 30) },
    'Value #C': { title: 'Media errors', cell: 'color-text', steps: badIfAny },
    'Value #D': {
      title: 'Warning',
      cell: 'color-text',
      steps: badIfAny,
      words: { 0: { text: 'no' }, 1: { text: 'yes' } },
    },
    'Value #E': { title: 'Powered on', unit: 'h', decimals: 0 },
  },
  sortBy: 'Wear',
});

const full = list({
  title: 'Fullest file systems',
  description: 'Boot, persistent and ephemeral disks as the machines see them, the twenty fullest.',
  family: DISK,
  width: 12,
  height: 9,
  queries: [
    rows(withNode(`topk(20, max by (\${host}, mount_point) (${mounted('bytes_used')} / ${mounted('bytes_total')}))`)),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    mount_point: { title: 'Mounted at' },
    Value: shareGauge('Full', badAbove(0.8, 0.9)),
  },
  sortBy: 'Full',
});

const waiting = graph({
  title: 'Latency of disks',
  description: 'How long reads and writes took on average, by mount point, over the chosen nodes.',
  family: DISK,
  width: 8,
  unit: 's',
  min: 0,
  queries: [
    range(mean(mounted, 'read_latency_seconds', 'mount_point'), '{{mount_point}} read'),
    range(mean(mounted, 'write_latency_seconds', 'mount_point'), '{{mount_point}} written'),
  ],
});

/** The 99th percentile over the past quarter of an hour, with the label `operation`. */
const tail = (operation: string, histogram: string): string =>
  `label_replace(histogram_quantile(0.99, sum by (le, \${host}, mount_point) (rate(${mounted(`${histogram}_bucket`)}[15m]))), "operation", "${operation}", "", "")`;

const slowest = list({
  title: 'Slowest disks',
  description: 'One in a hundred reads or writes took longer than this in the past quarter of an hour.',
  family: DISK,
  width: 12,
  height: 9,
  queries: [
    rows(withNode(`topk(20, ${tail('read', 'read_latency_seconds')} or ${tail('write', 'write_latency_seconds')})`)),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    mount_point: { title: 'Mounted at' },
    operation: { title: 'Operation' },
    Value: { title: '99th percentile', unit: 's', cell: 'color-text', steps: badAbove(0.1, 0.5) },
  },
  sortBy: '99th percentile',
});

const local = (title: string, description: string, unit: string, read: string, write: string) =>
  graph({
    title,
    description,
    family: DISK,
    width: 8,
    unit,
    min: 0,
    queries: [
      range(`sum by (mount_point) (${rate(mounted(read))})`, '{{mount_point}} read'),
      range(`sum by (mount_point) (${rate(mounted(write))})`, '{{mount_point}} written'),
    ],
  });

export const storage = () =>
  board({
    uid: 'gpucloud-storage',
    title: 'Storage',
    description: 'Shared disks, local NVMe drives, boot and persistent disks.',
    variables: [
      prefix(),
      several('disk', 'Shared disk', '${prefix}_sdisk_capacity_used_bytes', 'disk_name'),
      host(BOOT),
      clusters(BOOT),
      nodes(BOOT),
    ],
    sections: [
      {
        title: 'Shared disks',
        panels: [
          capacity,
          sharedGraph(
            'Throughput',
            'Read and written by all nodes.',
            'Bps',
            'disk_read_bw_bytes_sum',
            'disk_write_bw_bytes_sum'
          ),
          sharedGraph('Operations', 'Reads and writes a second.', 'iops', 'disk_read_iops', 'disk_write_iops'),
          sharedGraph('Latency', 'Mean time of a read and of a write.', 's', 'disk_read_latency', 'disk_write_latency'),
        ],
      },
      { title: 'Local NVMe drives', panels: [wear] },
      {
        title: 'Boot and persistent disks',
        panels: [
          full,
          slowest,
          waiting,
          local(
            'Throughput of disks',
            'Read and written, by mount point, over the chosen nodes.',
            'Bps',
            'read_bytes_total',
            'write_bytes_total'
          ),
          local(
            'Operations of disks',
            'Reads and writes a second, by mount point, over the chosen nodes.',
            'iops',
            'reads_completed_total',
            'writes_completed_total'
          ),
        ],
      },
    ],
  });
