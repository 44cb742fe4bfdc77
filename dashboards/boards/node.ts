import { board } from '../lib/board.ts';
import { badAbove, badBelow, badIfAny, HEAT, neutral, shareGauge } from '../lib/display.ts';
import { DISK, GPU, INFINIBAND, NODE, PROFILING, type Family } from '../lib/families.ts';
import { toGpu } from '../lib/links.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { average, countOf, highest, lowest, onNode, rate, rateAtEnd, vendor, withNode } from '../lib/promql.ts';
import { instant, range, rows, type Query } from '../lib/queries.ts';
import { clusters, host, node as nodeVariable, prefix } from '../lib/variables.ts';

const UTIL = onNode('DCGM_FI_DEV_GPU_UTIL');
const CPU = vendor('vm_cpu_seconds_total');
const SPACE_USED = onNode(vendor('vm_disk_bytes_used'));
const SPACE = onNode(vendor('vm_disk_bytes_total'));
/** InfiniBand's series name their machine by `vm_name`, always. */
const port = (metric: string) => `${vendor(`ib_port_${metric}`)}{cluster_id=~"$cluster", vm_name=~"$node"}`;

const now = numbers({
  description: 'The machine and its GPUs. The processors’ share is over five minutes.',
  family: NODE,
  width: 24,
  unit: 'short',
  queries: [
    instant(`count(${UTIL})`, 'GPUs'),
    instant(`avg(${UTIL})`, 'GPU utilization'),
    instant(`sum(${onNode('DCGM_FI_DEV_POWER_USAGE')})`, 'GPU power'),
    instant(`max(${onNode('DCGM_FI_DEV_GPU_TEMP')})`, 'Hottest GPU'),
    instant(countOf(onNode('DCGM_FI_DEV_XID_ERRORS'), '> 0'), 'With an XID error'),
    instant(`1 - sum(${rateAtEnd(onNode(CPU, 'mode="idle"'))}) / sum(${rateAtEnd(onNode(CPU))})`, 'Processors'),
    instant(
      `sum(${onNode(vendor('vm_memory_used_bytes'))}) / sum(${onNode(vendor('vm_memory_total_bytes'))})`,
      'Memory used'
    ),
    instant(`max(${SPACE_USED} / ${SPACE})`, 'Fullest disk'),
    instant(`time() - max(${onNode(vendor('vm_boot_time'))})`, 'Up for'),
  ],
  looks: {
    'GPU utilization': { unit: 'percent', decimals: 0, steps: badBelow(30, 60) },
    'GPU power': { unit: 'watt', decimals: 1 },
    'Hottest GPU': { unit: 'celsius', steps: HEAT },
    'With an XID error': { steps: badIfAny },
    Processors: { unit: 'percentunit', decimals: 0 },
    'Memory used': { unit: 'percentunit', decimals: 0, steps: badAbove(0.85, 0.95) },
    'Fullest disk': { unit: 'percentunit', decimals: 0, steps: badAbove(0.8, 0.9) },
    'Up for': { unit: 's', decimals: 0, steps: neutral },
  },
});

const gpus = list({
  title: 'GPUs',
  description: 'Each GPU of the node as it is now. One that stays behind the others holds up a job that runs on all.',
  family: GPU,
  width: 24,
  height: 10,
  queries: [
    'DCGM_FI_DEV_GPU_UTIL',
    'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
    'DCGM_FI_DEV_FB_USED',
    'DCGM_FI_DEV_POWER_USAGE',
    'DCGM_FI_DEV_GPU_TEMP',
    'DCGM_FI_DEV_SM_CLOCK',
    'DCGM_FI_DEV_XID_ERRORS',
  ].map((metric) => rows(withNode(`max by (cluster_id, \${host}, gpu) (${onNode(metric)})`))),
  columns: {
    node: { title: 'Node', hidden: true },
    gpu: { title: 'GPU', link: toGpu(true), width: 70 },
    'Value #A': { title: 'Utilization', unit: 'percent', min: 0, max: 100, cell: 'gauge', steps: badBelow(30, 60) },
    'Value #B': shareGauge('Tensor cores active'),
    'Value #C': { title: 'Memory used', unit: 'mbytes', decimals: 1 },
    'Value #D': { title: 'Power', unit: 'watt', decimals: 0 },
    'Value #E': { title: 'Temperature', unit: 'celsius', cell: 'color-text', steps: HEAT },
    'Value #F': { title: 'SM clock', unit: 'rotmhz' },
    'Value #G': { title: 'XID', unit: 'none', cell: 'color-text', steps: badIfAny },
  },
  sortBy: 'GPU',
  rising: true,
});

/** A line below all others, where a dip of any GPU shows. */
const LOWEST = 'Lowest sample of any GPU';

interface EachGpu {
  unit: string;
  max?: number;
  family?: Family;
  /** Of the samples in a step: the average, if it is missing. */
  of?: (selector: string) => string;
  more?: Query[];
}

const each = (title: string, description: string, metric: string, spec: EachGpu) => {
  const { unit, max, family = GPU, of = average, more = [] } = spec;
  return graph({
    title,
    description,
    family,
    width: 8,
    unit,
    max,
    min: 0,
    link: toGpu(),
    queries: [range(withNode(`max by (cluster_id, \${host}, gpu) (${of(onNode(metric))})`), 'GPU {{gpu}}'), ...more],
    looks: { [LOWEST]: { color: 'text', lineWidth: 0.5 } },
  });
};

const cpu = graph({
  title: 'Processor time by mode',
  description: 'Share of all processors. Much iowait: programs wait for disks.',
  family: NODE,
  width: 8,
  unit: 'percentunit',
  min: 0,
  stacked: true,
  queries: [
    range(`sum by (mode) (${rate(onNode(CPU, 'mode!="idle"'))}) / scalar(sum(${rate(onNode(CPU))}))`, '{{mode}}'),
  ],
});

const memory = graph({
  title: 'Memory',
  description: 'Memory in use, next to what is installed.',
  family: NODE,
  width: 8,
  unit: 'bytes',
  min: 0,
  queries: [
    range(`sum(${average(onNode(vendor('vm_memory_used_bytes')))})`, 'In use'),
    range(`sum(${onNode(vendor('vm_memory_total_bytes'))})`, 'Installed'),
  ],
});

const space = graph({
  title: 'Disk space in use',
  description: 'Share of each file system that is full, at most in each step.',
  family: DISK,
  width: 8,
  unit: 'percentunit',
  min: 0,
  max: 1,
  queries: [range(`max by (mount_point) (${highest(SPACE_USED)} / ${SPACE})`, '{{mount_point}}')],
});

const network = graph({
  title: 'Ethernet',
  description: 'Received and sent, without InfiniBand.',
  family: NODE,
  width: 8,
  unit: 'Bps',
  min: 0,
  queries: [
    range(`sum(${rate(onNode(vendor('vm_network_receive_bytes_total')))})`, 'Received'),
    range(`sum(${rate(onNode(vendor('vm_network_transmit_bytes_total')))})`, 'Sent'),
  ],
});

const infiniband = graph({
  title: 'InfiniBand',
  description: 'Received and sent over all ports. Collected every 5 minutes.',
  family: INFINIBAND,
  width: 8,
  unit: 'Bps',
  min: 0,
  queries: [
    range(`sum(${average(port('throughput_rx'))})`, 'Received'),
    range(`sum(${average(port('throughput_tx'))})`, 'Sent'),
  ],
});

const io = graph({
  title: 'Disk throughput',
  description: 'Read and written by each device. Bursts of writes are mostly checkpoints.',
  family: DISK,
  width: 8,
  unit: 'Bps',
  min: 0,
  queries: [
    range(`sum by (device) (${rate(onNode(vendor('vm_disk_read_bytes_total')))})`, '{{device}} read'),
    range(`sum by (device) (${rate(onNode(vendor('vm_disk_write_bytes_total')))})`, '{{device}} written'),
  ],
});

export const node = () =>
  board({
    uid: 'gpucloud-node',
    title: 'Node',
    description: 'One machine: its GPUs side by side, processors, memory, network and disks.',
    variables: [prefix(), host(), clusters(), nodeVariable()],
    sections: [
      { panels: [now, gpus] },
      {
        title: 'GPUs over time',
        panels: [
          each(
            'Utilization',
            'Share of time in which a kernel ran: the average of each GPU, and the lowest sample of all, where a dip shows.',
            'DCGM_FI_DEV_GPU_UTIL',
            { unit: 'percent', max: 100, more: [range(`min(${lowest(UTIL)})`, LOWEST)] }
          ),
          each(
            'Tensor cores active',
            'Share of cycles in which tensor cores computed.',
            'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
            { unit: 'percentunit', max: 1, family: PROFILING }
          ),
          each('Memory in use', 'GPU memory that is allocated.', 'DCGM_FI_DEV_FB_USED', { unit: 'mbytes' }),
          each('Power', 'Drawn by each GPU, on average.', 'DCGM_FI_DEV_POWER_USAGE', { unit: 'watt' }),
          each(
            'Temperature',
            'The highest of each step. GPUs slow themselves down at about 87 °C.',
            'DCGM_FI_DEV_GPU_TEMP',
            { unit: 'celsius', of: highest }
          ),
          each('NVLink, sent', 'Sent by each GPU to the others of the node.', 'DCGM_FI_PROF_NVLINK_TX_BYTES', {
            unit: 'Bps',
            family: PROFILING,
          }),
        ],
      },
      { title: 'Machine', panels: [cpu, memory, space, network, infiniband, io] },
    ],
  });
