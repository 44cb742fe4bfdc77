// The quantities that dashboards show, each with one expression: the same question has the same number everywhere. Rules and starter
// queries can take theirs from it, too. What GPU time goes into, and stragglers, have files of their own in dashboards/lib.

import type { MetricUnit } from './metrics/types.ts';

/** Which series, and how they are read. */
export interface Scope {
  /** A function of the samples in a window of each series of a metric, under every name that the metric can have. */
  over: (fn: string, metric: string, window: string, ...matchers: string[]) => string;
  /** The series themselves: their newest samples, which are missing after a scrape that was missed. */
  select: (metric: string, ...matchers: string[]) => string;
  /** The newest sample of each series within a window that ended a time ago, or another function of that window. */
  ago: (metric: string, window: string, offset: string, fn?: string) => string;
  /** The newest sample of each series a time after that. */
  after: (metric: string, time: string, offset: string) => string;
  /** The labels that identify a node. */
  node: string;
  /** The full name of a metric of the vendor's. */
  vendor: (name: string) => string;
  /** The function that makes bytes a second of what ports have of their throughput, where it is known: see `ofPorts`. */
  ofPorts?: string;
  /** Whether what Slurm counts may come from the exporter of https://github.com/nebius/soperator, too. */
  ofSoperator?: boolean;
  /** What stands for its counts where neither has them, by their names: PromQL, of which a cluster has the first. */
  insteadOfSlurm?: (count: string) => string[];
}

export interface Quantity {
  /** In a title. A mean, a median or a maximum says so. */
  title: string;
  /** As a sentence. */
  meaning: string;
  unit: MetricUnit;
  /** Over which time a number at one moment is taken, ten minutes if it is missing. In a chart it is the step. */
  window?: string;
  /** PromQL of it, by the labels given: one number if there are none. */
  expr: (of: Scope, by: string, window: string) => string;
}

type Expr = Quantity['expr'];

const grouped = (by: string): string => (by ? ` by (${by})` : '');

/** Metrics that are not DCGM's are the vendor's. */
const nameOf = (of: Scope, metric: string): string => (metric.startsWith('DCGM_') ? metric : of.vendor(metric));

/** An aggregation over the series of a function of each. */
const aggregated =
  (aggregation: string, fn: string) =>
  (metric: string, ...matchers: string[]): Expr =>
  (of, by, window) =>
    `${aggregation}${grouped(by)} (${of.over(fn, nameOf(of, metric), window, ...matchers)})`;

const mean = aggregated('avg', 'avg_over_time');
const total = aggregated('sum', 'avg_over_time');
const highest = aggregated('max', 'max_over_time');
const rate = aggregated('sum', 'rate');

const ofGpu = ({ node }: Scope): string => `${node}, gpu`;

/** Means of GPUs, each counted once: one that pods share has the series of each of them. */
const ofGpus =
  (aggregation: string, each = ofGpu) =>
  (metric: string): Expr =>
  (of, by, window) =>
    `${aggregation}${grouped(by)} (avg by (${union(each(of), by)}) (${of.over('avg_over_time', metric, window)}))`;

const meanOfGpus = ofGpus('avg');
/** With MIG each instance has its part. */
const totalOfGpus = ofGpus('sum', (of) => `${ofGpu(of)}, GPU_I_ID`);

/** The sum of one as a share of the sum of another. */
const share =
  (part: Expr, whole: Expr): Expr =>
  (of, by, window) =>
    `${part(of, by, window)} / (${whole(of, by, window)})`;

/** Labels without duplicates. */
const union = (...lists: string[]): string =>
  [...new Set(lists.flatMap((labels) => labels.split(', ')))].filter(Boolean).join(', ');

const WHOLE_RANGE = '$__range';

/** Collected every 5 minutes at the longest, so one scrape may be missed. */
const NEWEST = '15m';
const newest = (of: Scope, metric: string): string => of.over('last_over_time', metric, NEWEST);

/** How far before the range a counter is looked for whose node had no samples when it began. */
const BEFORE = '6h';

/** The platform keeps samples for 30 days, and its oldest may begin up to a day after a range of all of them. */
const ALL_IT_KEEPS = 29 * 24 * 3600;
const DAY_AFTER = '25h';

/** How far after the beginning of the range the first sample of a counter may be that is not younger: of a cluster that is as old as the range. */
const SOON_AFTER = '15m';

/**
 * How much a counter has grown, by all of it if it began again or is younger than the range: differences add up, where `increase`
 * extrapolates. Series are distinguished by the labels given, because an exporter that moves changes others.
 */
const grown =
  (metric: string, labels: (of: Scope) => string): Expr =>
  (of, by, window) => {
    const name = nameOf(of, metric);
    const each = (expr: string) => `max by (${union(labels(of), by)}) (${expr})`;
    const now = `(${each(newest(of, name))} > 0)`;
    const before = [each(of.ago(name, BEFORE, window))];
    if (window === WHOLE_RANGE) {
      before.push(each(of.after(name, SOON_AFTER, window)));
      before.push(`${each(of.after(name, DAY_AFTER, window))} and on () vector($__range_s) >= ${ALL_IT_KEEPS}`);
    }
    return `sum${grouped(by)} (${now} - (${before.join(' or ')}) >= 0 or ${now})`;
  };

/** No port has 250 GB/s: a count of bytes is soon more, on some port of the fleet. */
export const MOST_OF_PORT = '2.5e11';

/**
 * Bytes a second of ports. Clouds with metrics of these names count bytes (https://docs.crusoecloud.com/networking/infiniband/ib-metrics),
 * or have the rate itself.
 */
const ofPorts =
  (direction: string) =>
  (of: Scope, window: string): string => {
    const metric = of.vendor(`ib_port_throughput_${direction}`);
    const highest = `max (last_over_time(${metric}[${NEWEST}]))`;
    const counted = `${of.over('rate', metric, window)} and on () ${highest} > ${MOST_OF_PORT}`;
    const measured = `${of.over('avg_over_time', metric, window)} and on () ${highest} <= ${MOST_OF_PORT}`;
    return `(${of.ofPorts ? of.over(of.ofPorts, metric, window) : `${counted} or ${measured}`})`;
  };

/** The line rate of ports in bit/s, by its digits: some have it in Gbit/s, as Linux does, and no port of InfiniBand is below one. Read once. */
const lineRate = (of: Scope): string => `10 ^ (9 + log10(${newest(of, of.vendor('ib_port_line_rate'))}) % 9)`;

const OF_PORT = () => 'cluster_id, vm_name, hca_number';
/** The share of time that a counter of nanoseconds rises by, of the GPU with most. */
const slowed =
  (reason: string): Expr =>
  (of, by, window) =>
    `max${grouped(by)} (${of.over('rate', `DCGM_FI_DEV_${reason}_VIOLATION`, window)}) / 1e9`;

/** The kinds of errors that ports count. A link that goes down is told apart. */
export const PORT_ERRORS = {
  error_rx: 'received with errors',
  xmit_discard: 'discarded',
  link_error_recovery: 'link recoveries',
} as const;

/** NVIDIA's switches from Quantum on count a tick for the time of 8 bytes, for ports of every width. */
const BITS_OF_A_TICK = 64;

/** Unless a quantity has another window. */
export const GAUGE = '10m';
const AT_ONCE = '5m';
/** Ports are collected every 5 minutes. */
const OF_PORTS = '15m';

type Counted = Pick<Quantity, 'unit' | 'window' | 'expr'>;

/**
 * What Slurm counts: the exporter's own count, or else the first of some expressions that a cluster has. Of one exporter of a cluster: where it is
 * restarted, samples of its address or pod before that are in the window as well.
 */
const ofSlurm = (name: string, otherwise: (of: Scope) => string[] = () => []): Counted => ({
  unit: 'locale',
  window: AT_ONCE,
  expr: (of, by, window) => {
    const count = `avg without (instance, pod) (${of.over('avg_over_time', of.vendor(`slurm_${name}`), window)})`;
    const others = [...(of.ofSoperator ? otherwise(of) : []), ...(of.insteadOfSlurm?.(name) ?? [])];
    return `sum${grouped(by)} (${[count, ...others].join(' or on (cluster_id) ')})`;
  },
});

/**
 * The number of series of the exporter of https://github.com/nebius/soperator, which has one of each node and job: 0 in clusters of which it has nodes. They
 * are read as they are, because what has changed its state has two of them in a window.
 */
const countOf = (each: string, of: Scope): string[] => [
  `count by (cluster_id) (${each})`,
  `0 * group by (cluster_id) (${of.select('slurm_node_info')})`,
];

const nodesOfSlurm =
  (...choices: string[][]) =>
  (of: Scope): string[] => {
    const nodes = choices.map((matchers) => of.select('slurm_node_info', ...matchers)).join(' or ');
    return countOf(`group by (cluster_id, node_name) (${nodes})`, of);
  };
/** A node that is drained or in maintenance may still have jobs, or be idle or down. */
const nodesInState = (state: string) =>
  nodesOfSlurm([`state_base=~"(?i)${state}"`, 'state_is_drain!="true"', 'state_is_maintenance!="true"']);

/** Slurm forgets a job minutes after its end (MinJobAge), so that jobs that have ended are looked for in a window. */
const jobsOfSlurm = (of: Scope, states: string, within?: string): string => {
  const isIn = `job_state=~"${states}"`;
  const jobs = within ? of.over('last_over_time', 'slurm_job_info', within, isIn) : of.select('slurm_job_info', isIn);
  return `group by (cluster_id, slurm_partition, job_id) (${jobs})`;
};
const jobsInState = (states: string, within?: string) => (of: Scope) => countOf(jobsOfSlurm(of, states, within), of);
const pendingByPartition = (of: Scope): string[] => [
  `count by (cluster_id, partition) (label_replace(${jobsOfSlurm(of, 'PENDING')}, "partition", "$1", "slurm_partition", "(.*)"))`,
];

/** The mean of a histogram's observations: it reads two series where a quantile reads a dozen. */
const latency = (histogram: string): Counted => ({
  unit: 's',
  window: OF_PORTS,
  expr: share(rate(`${histogram}_sum`), rate(`${histogram}_count`)),
});

/** Of a counter of bytes. */
const throughput = (metric: string): Counted => ({ unit: 'Bps', window: AT_ONCE, expr: rate(metric) });

export const QUANTITIES = {
  gpus: {
    title: 'GPUs',
    meaning: 'GPUs with samples, each counted once, also with MIG and where a metric has two names',
    unit: 'locale',
    window: NEWEST,
    expr: (of, by, window) =>
      `count${grouped(by)} (group by (${union(ofGpu(of), by)}) (${of.over('last_over_time', 'DCGM_FI_DEV_FB_USED', window)}))`,
  },
  utilization: {
    title: 'Utilization, mean',
    meaning: 'Share of time in which a kernel ran: a GPU is busy, not necessarily used well',
    unit: 'percent',
    expr: meanOfGpus('DCGM_FI_DEV_GPU_UTIL'),
  },
  usedGpus: {
    title: 'GPUs in use, mean',
    meaning: 'GPUs that run a kernel: one that does for half of the time counts as half',
    unit: 'locale',
    expr: (...given) => `${ofGpus('sum')('DCGM_FI_DEV_GPU_UTIL')(...given)} / 100`,
  },
  lowestUtilization: {
    title: 'Lowest utilization of any GPU',
    meaning: 'The lowest sample of any GPU, where a dip of a minute shows',
    unit: 'percent',
    expr: aggregated('min', 'min_over_time')('DCGM_FI_DEV_GPU_UTIL'),
  },
  smActivity: {
    title: 'SM active, mean',
    meaning: 'Share of cycles in which multiprocessors had work',
    unit: 'percentunit',
    expr: meanOfGpus('DCGM_FI_PROF_SM_ACTIVE'),
  },
  tensorActivity: {
    title: 'Tensor cores active, mean',
    meaning: 'Share of cycles in which tensor cores computed',
    unit: 'percentunit',
    expr: meanOfGpus('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'),
  },
  memoryActivity: {
    title: 'DRAM active, mean',
    meaning: 'Share of cycles in which GPU memory was read or written; without profiling metrics, of time',
    unit: 'percentunit',
    expr: (...given) =>
      `(${meanOfGpus('DCGM_FI_PROF_DRAM_ACTIVE')(...given)} or ${meanOfGpus('DCGM_FI_DEV_MEM_COPY_UTIL')(...given)} / 100)`,
  },
  memoryUsed: {
    title: 'Memory used, mean',
    meaning: 'GPU memory in use, as a share of what there is',
    unit: 'percentunit',
    expr: share(
      totalOfGpus('DCGM_FI_DEV_FB_USED'),
      (...given) => `${totalOfGpus('DCGM_FI_DEV_FB_USED')(...given)} + ${totalOfGpus('DCGM_FI_DEV_FB_FREE')(...given)}`
    ),
  },
  memoryInUse: {
    title: 'GPU memory in use',
    meaning: 'GPU memory that is allocated',
    unit: 'mbytes',
    expr: totalOfGpus('DCGM_FI_DEV_FB_USED'),
  },
  power: {
    title: 'Power',
    meaning: 'What GPUs draw together, each counted once, without the machines around them',
    unit: 'watt',
    expr: ofGpus('sum')('DCGM_FI_DEV_POWER_USAGE'),
  },
  temperature: {
    title: 'Hottest GPU',
    meaning: 'The highest sample of any GPU; GPUs slow themselves down at about 87 °C',
    unit: 'celsius',
    expr: highest('DCGM_FI_DEV_GPU_TEMP'),
  },
  memoryTemperature: {
    title: 'Hottest memory',
    meaning: 'The highest sample of the memory of any GPU',
    unit: 'celsius',
    expr: highest('DCGM_FI_DEV_MEMORY_TEMP'),
  },
  clock: {
    title: 'SM clock, mean',
    meaning: 'The clock of the multiprocessors',
    unit: 'rotmhz',
    expr: meanOfGpus('DCGM_FI_DEV_SM_CLOCK'),
  },
  slowedByHeat: {
    title: 'Slowed by heat',
    meaning: 'Share of time in which heat slowed the most affected GPU down, by its counter',
    unit: 'percentunit',
    expr: slowed('THERMAL'),
  },
  slowedByPower: {
    title: 'Slowed by power limit',
    meaning: 'Share of time in which the power limit slowed the most affected GPU down, by its counter',
    unit: 'percentunit',
    expr: slowed('POWER'),
  },
  xid: {
    title: 'XID',
    meaning: 'The newest XID code, which DCGM keeps until the GPU is reset',
    unit: 'none',
    window: NEWEST,
    expr: aggregated('max', 'last_over_time')('DCGM_FI_DEV_XID_ERRORS'),
  },
  eccErrors: {
    title: 'Double-bit errors',
    meaning: 'ECC errors that are not corrected',
    unit: 'none',
    window: WHOLE_RANGE,
    expr: grown('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL', ofGpu),
  },
  remappedRows: {
    title: 'Remapped rows',
    meaning: 'Rows of memory that were replaced after errors that could not be corrected',
    unit: 'none',
    window: NEWEST,
    expr: (of, by, window) =>
      `sum${grouped(by)} (max by (${union(ofGpu(of), by)}) (${of.over('last_over_time', 'DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', window)}))`,
  },
  remapFailure: {
    title: 'Remapping failed',
    meaning: 'A faulty row that cannot be replaced: the GPU has to be',
    unit: 'none',
    window: NEWEST,
    expr: aggregated('max', 'last_over_time')('DCGM_FI_DEV_ROW_REMAP_FAILURE'),
  },
  nvlinkSent: {
    title: 'NVLink, sent',
    meaning: 'To other GPUs of the node',
    unit: 'Bps',
    expr: totalOfGpus('DCGM_FI_PROF_NVLINK_TX_BYTES'),
  },
  nvlinkReceived: {
    title: 'NVLink, received',
    meaning: 'From other GPUs of the node',
    unit: 'Bps',
    expr: totalOfGpus('DCGM_FI_PROF_NVLINK_RX_BYTES'),
  },
  pcieSent: {
    title: 'PCIe, sent',
    meaning: 'To the machine',
    unit: 'Bps',
    expr: totalOfGpus('DCGM_FI_PROF_PCIE_TX_BYTES'),
  },
  pcieReceived: {
    title: 'PCIe, received',
    meaning: 'From the machine: data of the next steps',
    unit: 'Bps',
    expr: totalOfGpus('DCGM_FI_PROF_PCIE_RX_BYTES'),
  },
  nodeUtilization: {
    title: 'Utilization, mean of nodes',
    meaning: 'Share of time in which a kernel ran, by the platform’s rollups, which read a series a node',
    unit: 'percentunit',
    expr: mean('node:node_gpu_utilization:ratio_avg_1m'),
  },
  processors: {
    title: 'Processors',
    meaning: 'Share of the processors’ time that was not idle',
    unit: 'percentunit',
    window: AT_ONCE,
    expr: (of, by, window) =>
      `1 - ${rate('vm_cpu_seconds_total', 'mode="idle"')(of, by, window)} / ${rate('vm_cpu_seconds_total')(of, by, window)}`,
  },
  processorSeconds: {
    title: 'Processor time',
    meaning: 'Processors that do something; much iowait: programs wait for disks',
    unit: 'short',
    window: AT_ONCE,
    expr: rate('vm_cpu_seconds_total', 'mode!="idle"'),
  },
  hostMemory: {
    title: 'Host memory',
    meaning: 'Memory of machines in use, as a share of what is installed',
    unit: 'percentunit',
    expr: share(total('vm_memory_used_bytes'), total('vm_memory_total_bytes')),
  },
  uptime: {
    title: 'Up for',
    meaning: 'Time since the machine was started',
    unit: 's',
    expr: (of, by, window) => `time() - ${highest('vm_boot_time')(of, by, window)}`,
  },
  ethernetReceived: {
    title: 'Ethernet, received',
    meaning: 'Without InfiniBand',
    ...throughput('vm_network_receive_bytes_total'),
  },
  ethernetSent: {
    title: 'Ethernet, sent',
    meaning: 'Without InfiniBand',
    ...throughput('vm_network_transmit_bytes_total'),
  },
  ports: {
    title: 'Ports',
    meaning: 'InfiniBand ports with samples',
    unit: 'locale',
    window: OF_PORTS,
    expr: aggregated('count', 'last_over_time')('ib_port_line_rate'),
  },
  portReceived: {
    title: 'InfiniBand, received',
    meaning: 'Over all ports',
    unit: 'Bps',
    window: OF_PORTS,
    expr: (of, by, window) => `sum${grouped(by)} ${ofPorts('rx')(of, window)}`,
  },
  portSent: {
    title: 'InfiniBand, sent',
    meaning: 'Over all ports',
    unit: 'Bps',
    window: OF_PORTS,
    expr: (of, by, window) => `sum${grouped(by)} ${ofPorts('tx')(of, window)}`,
  },
  busiestPort: {
    title: 'Busiest port',
    meaning: 'Throughput as a share of the line rate, of the busiest port in its busier direction',
    unit: 'percentunit',
    window: OF_PORTS,
    expr: (of, by, window) => {
      const used = (direction: string) =>
        `label_replace(max${grouped(by)} (${ofPorts(direction)(of, window)} / ${lineRate(of)}), "direction", "${direction}", "", "")`;
      return `8 * max${grouped(by)} (${used('tx')} or ${used('rx')})`;
    },
  },
  portWaits: {
    title: 'Waits to send',
    meaning: 'Share of time in which the port that waits most had data and could not send',
    unit: 'percentunit',
    window: OF_PORTS,
    expr: (of, by, window) =>
      `max${grouped(by)} (${BITS_OF_A_TICK} * ${of.over('rate', of.vendor('ib_port_tx_wait'), window)} / ${lineRate(of)})`,
  },
  portErrors: {
    title: 'Port errors',
    meaning: 'Packets received with errors or discarded, and link recoveries',
    unit: 'locale',
    window: WHOLE_RANGE,
    expr: (of, by, window) => {
      const kinds = Object.keys(PORT_ERRORS).map((kind) => {
        return `label_replace(${grown(`ib_port_${kind}`, OF_PORT)(of, by, window)}, "kind", "${kind}", "", "")`;
      });
      return `sum${grouped(by)} (${kinds.join(' or ')})`;
    },
  },
  linksDown: {
    title: 'Links down',
    meaning: 'How often InfiniBand links went down',
    unit: 'locale',
    window: WHOLE_RANGE,
    expr: grown('ib_port_link_downed', OF_PORT),
  },
  diskFull: {
    title: 'Fullest disk',
    meaning: 'Share of the fullest file system that is in use, boot, persistent and ephemeral',
    unit: 'percentunit',
    expr: (of, by, window) =>
      `max${grouped(by)} (${of.over('max_over_time', of.vendor('vm_disk_bytes_used'), window)} / ${newest(of, of.vendor('vm_disk_bytes_total'))})`,
  },
  diskRead: {
    title: 'Read',
    meaning: 'From boot, persistent and ephemeral disks',
    ...throughput('vm_disk_read_bytes_total'),
  },
  diskWritten: {
    title: 'Written',
    meaning: 'To boot, persistent and ephemeral disks; bursts are mostly checkpoints',
    ...throughput('vm_disk_write_bytes_total'),
  },
  diskReadLatency: {
    title: 'Read latency, mean',
    meaning: 'How long a read of a disk took',
    ...latency('vm_disk_read_latency_seconds'),
  },
  diskWriteLatency: {
    title: 'Write latency, mean',
    meaning: 'How long a write to a disk took',
    ...latency('vm_disk_write_latency_seconds'),
  },
  sharedDiskUsed: {
    title: 'Used',
    meaning: 'Bytes stored on a shared disk',
    unit: 'bytes',
    window: OF_PORTS,
    expr: highest('sdisk_capacity_used_bytes'),
  },
  sharedDiskGrowth: {
    title: 'Growth a day',
    meaning:
      'By how much the highest level of a shared disk rises from day to day, the lesser of two days; or four times what six hours have added, if that alone is more than a day had added',
    unit: 'bytes',
    expr: (of, by) => {
      const used = of.vendor('sdisk_capacity_used_bytes');
      const max = (expr: string) => `max${grouped(by)} (${expr})`;
      const highest = (window: string, ago: string) => max(of.ago(used, window, ago, 'max_over_time'));
      const [yesterday, before] = ['1d', '2d'].map((ago) => highest('1d', ago));
      const today = max(of.over('max_over_time', used, '1d'));
      const usual = `(clamp_min(${yesterday} - ${before}, 0) or 0 * ${today})`;
      const recent = `${max(newest(of, used))} - ${highest('2d', '6h')}`;
      return `(4 * (${recent} > ${usual}) or ${today} - ${yesterday} < ${yesterday} - ${before} or ${yesterday} - ${before})`;
    },
  },
  sharedDiskRead: {
    title: 'Shared disks, read',
    meaning: 'By all nodes',
    unit: 'Bps',
    window: OF_PORTS,
    expr: total('sdisk_disk_read_bw_bytes_sum'),
  },
  sharedDiskWritten: {
    title: 'Shared disks, written',
    meaning: 'By all nodes',
    unit: 'Bps',
    window: OF_PORTS,
    expr: total('sdisk_disk_write_bw_bytes_sum'),
  },
  sharedDiskReadLatency: {
    title: 'Shared disks, read',
    meaning: 'Mean time of a read, of the slowest disk',
    unit: 's',
    window: OF_PORTS,
    expr: highest('sdisk_disk_read_latency'),
  },
  sharedDiskWriteLatency: {
    title: 'Shared disks, write',
    meaning: 'Mean time of a write, of the slowest disk',
    unit: 's',
    window: OF_PORTS,
    expr: highest('sdisk_disk_write_latency'),
  },
  nvmeWear: {
    title: 'Wear',
    meaning: 'Share of the maker’s rated life of a local NVMe drive that is used up',
    unit: 'percent',
    window: AT_ONCE,
    expr: highest('vm_nvme_percentage_used'),
  },
  nvmeSpare: {
    title: 'Spare',
    meaning: 'Spare blocks that a local NVMe drive has left',
    unit: 'percent',
    window: AT_ONCE,
    expr: aggregated('min', 'min_over_time')('vm_nvme_available_spare'),
  },
  nvmeErrors: {
    title: 'New media errors',
    meaning:
      'Data errors that a local NVMe drive could not correct. Those of a drive that is new here are not counted: it has had them',
    unit: 'none',
    window: WHOLE_RANGE,
    expr: (of, by, window) => {
      const errors = of.vendor('vm_nvme_media_errors_total');
      return `(max${grouped(by)} (${newest(of, errors)}) - max${grouped(by)} (${of.ago(errors, BEFORE, window)})) > 0`;
    },
  },
  nvmeWarning: {
    title: 'Warning',
    meaning: 'A local NVMe drive warns that it is about to fail',
    unit: 'none',
    window: AT_ONCE,
    // Bit 1 says that the drive is hot or cold, which passes: NVM Express Base Specification, SMART / Health Information.
    expr: highest('vm_nvme_smart_critical_warning', 'bit!~"(?i)1|.*temp.*"'),
  },
  objectsReceived: {
    title: 'Object storage, received',
    meaning: 'Read from object storage',
    ...throughput('vm_objectstore_bytes_recv_total'),
  },
  objectsSent: {
    title: 'Object storage, sent',
    meaning: 'Written to object storage',
    ...throughput('vm_objectstore_bytes_sent_total'),
  },
  objectLatency: {
    title: 'Time to connect, mean',
    meaning: 'How long machines took to connect to object storage',
    ...latency('vm_objectstore_connection_latency_histogram_seconds'),
  },
  balancerReceived: {
    title: 'From clients',
    meaning: 'What clients sent to load balancers',
    ...throughput('elb_bytes_in'),
  },
  balancerSent: {
    title: 'To clients',
    meaning: 'What load balancers sent to clients',
    ...throughput('elb_bytes_out'),
  },
  newConnections: {
    title: 'New connections',
    meaning: 'Flows that clients opened in a second',
    unit: 'suffix: conn/s',
    window: AT_ONCE,
    expr: rate('elb_new_flows'),
  },
  openConnections: {
    title: 'Open connections',
    meaning: 'Flows that are open',
    unit: 'locale',
    window: AT_ONCE,
    expr: total('elb_active_flows'),
  },
  slurmNodes: { title: 'Nodes', meaning: 'Nodes of Slurm', ...ofSlurm('nodes', nodesOfSlurm([])) },
  slurmAllocated: {
    title: 'Allocated',
    meaning: 'Nodes whose processors are all allocated',
    ...ofSlurm('nodes_alloc', nodesInState('allocated')),
  },
  slurmMixed: {
    title: 'Partly allocated',
    meaning: 'Nodes with jobs and room for more',
    ...ofSlurm('nodes_mixed', nodesInState('mixed')),
  },
  slurmIdle: {
    title: 'Idle',
    meaning: 'Nodes that take jobs and have none',
    ...ofSlurm('nodes_idle', nodesInState('idle')),
  },
  slurmDrained: {
    title: 'Drained',
    meaning: 'Nodes that somebody took out of service',
    ...ofSlurm('nodes_drain', nodesOfSlurm(['state_is_drain="true"'], ['state_is_maintenance="true"'])),
  },
  slurmDown: {
    title: 'Down',
    meaning: 'Nodes that do not respond to Slurm',
    ...ofSlurm('nodes_down', nodesInState('down')),
  },
  jobsRunning: { title: 'Running', meaning: 'Jobs that run', ...ofSlurm('jobs_running', jobsInState('RUNNING')) },
  jobsPending: { title: 'Pending', meaning: 'Jobs that wait', ...ofSlurm('jobs_pending', jobsInState('PENDING')) },
  jobsPendingByPartition: {
    title: 'Pending by partition',
    meaning: 'Where jobs wait',
    ...ofSlurm('partition_jobs_pending', pendingByPartition),
  },
  jobsFailed: {
    title: 'Failed',
    meaning: 'Jobs that failed in the past day',
    ...ofSlurm('jobs_failed', jobsInState('FAILED|NODE_FAIL|BOOT_FAIL|DEADLINE', '1d')),
  },
  jobsOutOfMemory: {
    title: 'Out of memory',
    meaning: 'Jobs that ran out of memory in the past day',
    ...ofSlurm('jobs_outofmemory', jobsInState('OUT_OF_MEMORY', '1d')),
  },
  jobsTimedOut: {
    title: 'Timed out',
    meaning: 'Jobs that reached their time limit in the past day',
    ...ofSlurm('jobs_timeout', jobsInState('TIMEOUT', '1d')),
  },
  schedulingCycle: {
    title: 'Scheduling cycle',
    meaning: 'How long the scheduler takes for a round, on average; it grows with the queue',
    unit: 'µs',
    window: AT_ONCE,
    expr: highest('slurm_sched_mean_cycle'),
  },
} as const satisfies Record<string, Quantity>;

export type QuantityName = keyof typeof QUANTITIES;

/** PromQL of a quantity, by the labels given, over its own window unless another is given. */
export function quantity(name: QuantityName, of: Scope, by = '', window?: string): string {
  const { expr, window: own = GAUGE }: Quantity = QUANTITIES[name];
  return expr(of, by, window ?? own);
}
