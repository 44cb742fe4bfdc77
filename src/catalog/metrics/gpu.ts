import { shown } from './starter.ts';
import type { MetricGroup } from './types.ts';

const LABELS = ['instance', 'gpu', 'UUID', 'modelName', 'cluster_id', 'nodepool_name'];
const AGENT = 'The monitoring agent on the machines and, in a managed container cluster, the GPU operator add-on.';

const CLOCK = 'avg_over_time(DCGM_FI_DEV_SM_CLOCK[10m])';

export const GPU: MetricGroup = {
  name: 'GPU',
  description: 'How busy, hot, full and healthy each GPU is.',
  interval: '1m',
  labels: LABELS,
  needs: AGENT,
  families: [
    { name: 'DCGM_FI_DEV_GPU_UTIL', unit: 'percent', help: 'Share of time in which a kernel ran.' },
    {
      name: 'DCGM_FI_DEV_MEM_COPY_UTIL',
      unit: 'percent',
      help: 'Share of time in which GPU memory was read or written.',
    },
    { name: 'DCGM_FI_DEV_FB_USED', unit: 'mbytes', help: 'GPU memory in use.' },
    { name: 'DCGM_FI_DEV_FB_FREE', unit: 'mbytes', help: 'GPU memory that is free.' },
    { name: 'DCGM_FI_DEV_GPU_TEMP', unit: 'celsius', help: 'Temperature of the GPU.' },
    { name: 'DCGM_FI_DEV_MEMORY_TEMP', unit: 'celsius', help: 'Temperature of the GPU’s memory.' },
    { name: 'DCGM_FI_DEV_POWER_USAGE', unit: 'watt', help: 'Power that the GPU draws.' },
    {
      name: 'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION',
      type: 'counter',
      unit: 'suffix:mJ',
      help: 'Energy used since the driver was loaded.',
    },
    { name: 'DCGM_FI_DEV_SM_CLOCK', unit: 'rotmhz', help: 'Clock of the multiprocessors.' },
    { name: 'DCGM_FI_DEV_MEM_CLOCK', unit: 'rotmhz', help: 'Clock of the GPU’s memory.' },
    {
      name: 'DCGM_FI_DEV_XID_ERRORS',
      help: 'Number of the last XID error, 0 if there was none. It is a code, not a count.',
    },
    { name: 'DCGM_FI_DEV_ECC_SBE_VOL_TOTAL', type: 'counter', help: 'Single-bit memory errors, which were corrected.' },
    {
      name: 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL',
      type: 'counter',
      help: 'Double-bit memory errors, which were not corrected.',
    },
    {
      name: 'DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS',
      type: 'counter',
      help: 'Memory rows that were remapped after correctable errors.',
    },
    {
      name: 'DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS',
      type: 'counter',
      help: 'Memory rows that were remapped after uncorrectable errors.',
    },
    {
      name: 'DCGM_FI_DEV_ROW_REMAP_FAILURE',
      unit: 'bool',
      help: '1 if a memory row could not be remapped: the GPU is due for repair.',
    },
    { name: 'DCGM_FI_DEV_PCIE_REPLAY_COUNTER', type: 'counter', help: 'PCIe transfers that were retried.' },
    {
      name: 'DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL',
      type: 'counter',
      unit: 'mbytes',
      help: 'Data over all of the GPU’s NVLink lanes.',
    },
    {
      name: 'DCGM_FI_DEV_POWER_VIOLATION',
      type: 'counter',
      unit: 'ns',
      help: 'Time in which the GPU was slowed down by its power limit.',
    },
    {
      name: 'DCGM_FI_DEV_THERMAL_VIOLATION',
      type: 'counter',
      unit: 'ns',
      help: 'Time in which the GPU was slowed down by heat.',
    },
  ],
  queries: [
    shown('Utilization by node', 'utilization', 'instance'),
    {
      name: 'Stragglers',
      description:
        'GPUs under load whose clock is furthest below the median of their node, from 6 % on, as a share, over 10 minutes. Utilization does not show them.',
      expr: `1 - ${CLOCK} / on (instance) group_left () quantile by (instance) (0.5, ${CLOCK}) > 0.06 and on (instance, gpu) avg_over_time(DCGM_FI_DEV_GPU_UTIL[10m]) > 50`,
      legend: '{{instance}} GPU {{gpu}}',
      unit: 'percentunit',
    },
    shown('Memory in use by node', 'memoryUsed', 'instance'),
    shown('Power of the cluster', 'power'),
    shown('Hottest GPU by node', 'temperature', 'instance'),
    shown('Slowed down by heat', 'slowedByHeat', 'instance'),
    shown('XID errors', 'xid', 'instance'),
  ],
};

export const GPU_PROFILING: MetricGroup = {
  name: 'GPU profiling',
  description: 'What keeps each GPU busy: tensor cores, memory, links. Utilization alone does not show it.',
  interval: '1m',
  labels: LABELS,
  needs: `${AGENT} Profiling counters can be switched off there.`,
  families: [
    {
      name: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
      unit: 'percentunit',
      help: 'Share of time in which the graphics or compute engine was active.',
    },
    {
      name: 'DCGM_FI_PROF_SM_ACTIVE',
      unit: 'percentunit',
      help: 'Share of cycles in which a multiprocessor had work, averaged over all.',
    },
    { name: 'DCGM_FI_PROF_SM_OCCUPANCY', unit: 'percentunit', help: 'Resident warps as a share of the most that fit.' },
    {
      name: 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
      unit: 'percentunit',
      help: 'Share of cycles in which the tensor cores were active.',
    },
    { name: 'DCGM_FI_PROF_DRAM_ACTIVE', unit: 'percentunit', help: 'Share of cycles in which GPU memory was busy.' },
    { name: 'DCGM_FI_PROF_PCIE_TX_BYTES', unit: 'Bps', help: 'Sent over PCIe.' },
    { name: 'DCGM_FI_PROF_PCIE_RX_BYTES', unit: 'Bps', help: 'Received over PCIe.' },
    { name: 'DCGM_FI_PROF_NVLINK_TX_BYTES', unit: 'Bps', help: 'Sent over NVLink.' },
    { name: 'DCGM_FI_PROF_NVLINK_RX_BYTES', unit: 'Bps', help: 'Received over NVLink.' },
  ],
  queries: [
    shown('Tensor cores at work', 'tensorActivity', 'instance'),
    {
      name: 'Busy but not computing',
      description: 'Utilization less the multiprocessors’ activity: high when GPUs wait for data or for each other.',
      expr: 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL / 100 - DCGM_FI_PROF_SM_ACTIVE)',
      legend: '{{instance}}',
      unit: 'percentunit',
    },
    shown('Memory bandwidth in use', 'memoryActivity', 'instance'),
    shown('NVLink sent by node', 'nvlinkSent', 'instance'),
    shown('NVLink received by node', 'nvlinkReceived', 'instance'),
  ],
};

export const ROLLUPS: MetricGroup = {
  name: 'Node rollups',
  description: 'A number for each node, recorded by the platform. The quickest way to look at thousands of GPUs.',
  interval: '1m',
  labels: ['instance', 'cluster_id', 'nodepool_name'],
  needs: 'A platform that records them. The GPU metrics show the same.',
  families: [
    {
      name: 'vendor_node:node_gpu_utilization:ratio_avg_1m',
      unit: 'percentunit',
      help: 'GPU utilization, averaged over the node’s GPUs.',
    },
    {
      name: 'vendor_node:node_gpu_memory_utilization:ratio_avg_1m',
      unit: 'percentunit',
      help: 'GPU memory in use, averaged over the node’s GPUs.',
    },
    {
      name: 'vendor_node:node_gpu_temperature:p95_1m',
      unit: 'celsius',
      help: '95th percentile of the temperatures of the node’s GPUs.',
    },
    {
      name: 'vendor_node:node_gpu_power:p95_1m',
      unit: 'watt',
      help: '95th percentile of the power that the node’s GPUs draw.',
    },
  ],
  queries: [shown('Utilization by node pool', 'nodeUtilization', 'nodepool_name')],
};
