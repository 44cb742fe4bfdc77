import { shown } from './starter.ts';
import type { MetricGroup } from './types.ts';

const AGENT = 'The monitoring agent on the machines.';

export const SHARED_DISK: MetricGroup = {
  name: 'Shared disks',
  description: 'Load, latency and filling of the disks that nodes share.',
  interval: '5m',
  labels: ['disk_id', 'disk_name'],
  needs: 'A shared disk in the project.',
  families: [
    { name: 'vendor_sdisk_disk_read_iops', unit: 'iops', help: 'Reads a second.' },
    { name: 'vendor_sdisk_disk_write_iops', unit: 'iops', help: 'Writes a second.' },
    { name: 'vendor_sdisk_disk_read_bw_bytes_sum', unit: 'Bps', help: 'Read, over all nodes.' },
    { name: 'vendor_sdisk_disk_write_bw_bytes_sum', unit: 'Bps', help: 'Written, over all nodes.' },
    { name: 'vendor_sdisk_disk_read_latency', unit: 's', help: 'Mean time of a read.' },
    { name: 'vendor_sdisk_disk_write_latency', unit: 's', help: 'Mean time of a write.' },
    { name: 'vendor_sdisk_capacity_used_bytes', unit: 'bytes', help: 'Space used.' },
  ],
  queries: [
    shown('Read by disk', 'sharedDiskRead', 'disk_name'),
    shown('Written by disk', 'sharedDiskWritten', 'disk_name'),
    shown('Write latency', 'sharedDiskWriteLatency', 'disk_name'),
    shown('Space used', 'sharedDiskUsed', 'disk_name'),
    shown('Growth in a day', 'sharedDiskGrowth', 'disk_name'),
  ],
};

export const DISK: MetricGroup = {
  name: 'Boot and persistent disks',
  description: 'Load, latency and filling of each machine’s own disks.',
  interval: '1m',
  labels: ['instance', 'vm_name', 'device', 'mount_point'],
  needs: AGENT,
  families: [
    { name: 'vendor_vm_disk_read_latency_seconds', type: 'histogram', unit: 's', help: 'How long reads took.' },
    { name: 'vendor_vm_disk_write_latency_seconds', type: 'histogram', unit: 's', help: 'How long writes took.' },
    { name: 'vendor_vm_disk_write_bytes_total', type: 'counter', unit: 'bytes', help: 'Written to the disk.' },
    { name: 'vendor_vm_disk_bytes_used', unit: 'bytes', help: 'Space used on the file system.' },
    { name: 'vendor_vm_disk_bytes_total', unit: 'bytes', help: 'Size of the file system.' },
  ],
  queries: [
    shown('Fullest file systems', 'diskFull', 'instance'),
    shown('Write latency by node', 'diskWriteLatency', 'instance'),
    shown('Written by device', 'diskWritten', 'instance, device'),
  ],
};

export const NVME: MetricGroup = {
  name: 'Local NVMe',
  description: 'Wear and faults of the drives in the machines, as they report them themselves.',
  interval: '1m',
  labels: ['instance', 'vm_name', 'device', 'bit'],
  needs: 'Machines with local NVMe drives, and the monitoring agent on them.',
  families: [
    {
      name: 'vendor_vm_nvme_smart_critical_warning',
      unit: 'bool',
      help: '1 if the drive warns of the fault that the label “bit” names.',
    },
    {
      name: 'vendor_vm_nvme_media_errors_total',
      type: 'counter',
      help: 'Data errors that the drive could not correct.',
    },
    {
      name: 'vendor_vm_nvme_percentage_used',
      unit: 'percent',
      help: 'Wear: how much of the drive’s rated life is used.',
    },
    { name: 'vendor_vm_nvme_available_spare', unit: 'percent', help: 'Spare blocks that are left.' },
    { name: 'vendor_vm_nvme_power_on_hours', type: 'counter', unit: 'h', help: 'Hours the drive has been on.' },
  ],
  queries: [
    shown('Wear of drives', 'nvmeWear', 'instance'),
    shown('Drives that warn', 'nvmeWarning', 'instance, device'),
  ],
};

export const OBJECT_STORAGE: MetricGroup = {
  name: 'Object storage',
  description: 'Connections and traffic between each machine and object storage.',
  interval: '1m',
  labels: ['instance', 'vm_name', 'endpoint'],
  needs: `${AGENT} The metrics appear once a machine has connected to object storage.`,
  families: [
    {
      name: 'vendor_vm_objectstore_connection_latency_histogram_seconds',
      type: 'histogram',
      unit: 's',
      help: 'How long it took to connect.',
    },
    { name: 'vendor_vm_objectstore_connections_total', type: 'counter', help: 'Connections made.' },
    {
      name: 'vendor_vm_objectstore_tcp_retransmits_total',
      type: 'counter',
      help: 'TCP segments that were sent again.',
    },
    { name: 'vendor_vm_objectstore_bytes_sent_total', type: 'counter', unit: 'bytes', help: 'Sent.' },
    { name: 'vendor_vm_objectstore_bytes_recv_total', type: 'counter', unit: 'bytes', help: 'Received.' },
  ],
  queries: [
    shown('Read by endpoint', 'objectsReceived', 'endpoint'),
    shown('Written by endpoint', 'objectsSent', 'endpoint'),
    shown('Time to connect by endpoint', 'objectLatency', 'endpoint'),
    {
      name: 'Retransmits',
      description: 'TCP segments that had to be sent again, by machine: a sign of a bad network path.',
      expr: 'sum by (instance) (rate(vendor_vm_objectstore_tcp_retransmits_total[$__rate_interval]))',
      legend: '{{instance}}',
      unit: 'pps',
    },
  ],
};
