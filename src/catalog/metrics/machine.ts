import { shown } from './starter.ts';
import type { MetricGroup } from './types.ts';

const AGENT = 'The monitoring agent on the machines.';

export const NODE: MetricGroup = {
  name: 'Node',
  description: 'Processors, memory, disks and Ethernet of each virtual machine.',
  interval: '1m',
  labels: ['instance', 'vm_name', 'mode', 'device'],
  needs: AGENT,
  families: [
    {
      name: 'vendor_vm_cpu_seconds_total',
      type: 'counter',
      unit: 's',
      help: 'Processor time by mode, over all processors.',
    },
    { name: 'vendor_vm_memory_used_bytes', unit: 'bytes', help: 'Memory in use.' },
    { name: 'vendor_vm_memory_total_bytes', unit: 'bytes', help: 'Memory installed.' },
    { name: 'vendor_vm_boot_time', unit: 's', help: 'When the machine was booted, in Unix time.' },
    { name: 'vendor_vm_disk_read_bytes_total', type: 'counter', unit: 'bytes', help: 'Read from disks.' },
    { name: 'vendor_vm_disk_written_bytes_total', type: 'counter', unit: 'bytes', help: 'Written to all disks.' },
    { name: 'vendor_vm_disk_reads_completed_total', type: 'counter', help: 'Reads from disks.' },
    { name: 'vendor_vm_disk_writes_completed_total', type: 'counter', help: 'Writes to disks.' },
    { name: 'vendor_vm_network_receive_bytes_total', type: 'counter', unit: 'bytes', help: 'Received over Ethernet.' },
    { name: 'vendor_vm_network_transmit_bytes_total', type: 'counter', unit: 'bytes', help: 'Sent over Ethernet.' },
  ],
  queries: [
    shown('Processors in use by node', 'processors', 'instance'),
    shown('Memory in use by node', 'hostMemory', 'instance'),
    {
      name: 'Waiting for disks',
      description: 'The share of processor time that was lost to waiting: high when loading data is the bottleneck.',
      expr: 'sum by (instance) (rate(vendor_vm_cpu_seconds_total{mode="iowait"}[$__rate_interval])) / sum by (instance) (rate(vendor_vm_cpu_seconds_total[$__rate_interval]))',
      legend: '{{instance}}',
      unit: 'percentunit',
    },
    shown('Ethernet received by node', 'ethernetReceived', 'instance'),
    shown('Ethernet sent by node', 'ethernetSent', 'instance'),
    shown('Recent restarts', 'uptime', 'instance'),
  ],
};

export const INFINIBAND: MetricGroup = {
  name: 'InfiniBand',
  description: 'Traffic and errors of each InfiniBand port, over which nodes train together.',
  interval: '5m',
  labels: ['vm_name', 'hca_number', 'cluster_id'],
  needs: 'Machines with InfiniBand ports, and the monitoring agent on them.',
  families: [
    { name: 'vendor_ib_port_line_rate', unit: 'Gbits', help: 'Speed of the link.' },
    { name: 'vendor_ib_port_throughput_tx', type: 'counter', unit: 'bytes', help: 'Data sent.' },
    { name: 'vendor_ib_port_throughput_rx', type: 'counter', unit: 'bytes', help: 'Data received.' },
    { name: 'vendor_ib_port_packets_tx', type: 'counter', help: 'Packets sent.' },
    { name: 'vendor_ib_port_packets_rx', type: 'counter', help: 'Packets received.' },
    {
      name: 'vendor_ib_port_tx_wait',
      type: 'counter',
      help: 'Ticks in which there was data to send but no credit: congestion.',
    },
    { name: 'vendor_ib_port_link_downed', type: 'counter', help: 'Times the link went down.' },
    { name: 'vendor_ib_port_link_error_recovery', type: 'counter', help: 'Times the link recovered from errors.' },
    { name: 'vendor_ib_port_error_rx', type: 'counter', help: 'Packets received with errors.' },
    { name: 'vendor_ib_port_xmit_discard', type: 'counter', help: 'Packets that were dropped before they were sent.' },
  ],
  queries: [
    shown('Sent by node', 'portSent', 'vm_name'),
    shown('Received by node', 'portReceived', 'vm_name'),
    shown('Congestion', 'portWaits', 'vm_name'),
  ],
};

export const SLURM: MetricGroup = {
  name: 'Slurm',
  description: 'Nodes, queue and scheduler of a managed Slurm cluster.',
  interval: '1m',
  labels: ['cluster_id', 'node', 'partition'],
  needs: 'A managed Slurm cluster.',
  families: [
    { name: 'vendor_slurm_nodes', help: 'Nodes that Slurm manages.' },
    { name: 'vendor_slurm_nodes_alloc', help: 'Nodes that are wholly allocated.' },
    { name: 'vendor_slurm_nodes_idle', help: 'Nodes with nothing to do.' },
    { name: 'vendor_slurm_nodes_mixed', help: 'Nodes that are partly allocated.' },
    { name: 'vendor_slurm_nodes_down', help: 'Nodes that don’t respond.' },
    { name: 'vendor_slurm_nodes_drain', help: 'Nodes that were taken out of service.' },
    { name: 'vendor_slurm_jobs_pending', help: 'Jobs that wait.' },
    { name: 'vendor_slurm_jobs_running', help: 'Jobs that run.' },
    { name: 'vendor_slurm_jobs_failed', help: 'Jobs that failed.' },
    { name: 'vendor_slurm_jobs_outofmemory', help: 'Jobs that ran out of memory.' },
    { name: 'vendor_slurm_jobs_timeout', help: 'Jobs that ran out of time.' },
    { name: 'vendor_slurm_node_cpus', help: 'Processors of the node.' },
    { name: 'vendor_slurm_partition_jobs_pending', help: 'Jobs that wait for the partition.' },
    { name: 'vendor_slurm_sched_mean_cycle', unit: 'µs', help: 'Mean length of the scheduling cycle.' },
    { name: 'vendor_slurm_schedule_cycle_last', unit: 'µs', help: 'Length of the last scheduling cycle.' },
    { name: 'vendor_slurm_bf_depth_mean', help: 'Mean number of jobs that a backfill cycle looked at.' },
  ],
  queries: [
    shown('Nodes down', 'slurmDown'),
    shown('Nodes drained', 'slurmDrained'),
    shown('Nodes allocated', 'slurmAllocated'),
    shown('Idle nodes', 'slurmIdle'),
    shown('Queue by partition', 'jobsPendingByPartition', 'partition'),
    shown('Jobs pending', 'jobsPending'),
    shown('Jobs running', 'jobsRunning'),
  ],
};
