import { anywhere } from './promql.ts';

/** A family of metrics that the platform collects together, by one metric with few series. */
interface Collected {
  title: string;
  /** That of a vendor's metric is without its prefix. */
  metric: string;
  /** How much an alert on its end matters: `urgent` rules need it, or `lesser` rules and dashboards know less without it. */
  needed?: 'urgent' | 'lesser';
}

/** Profiling is not urgent, because it stops by itself while somebody profiles a job. */
export const COLLECTED: Collected[] = [
  { title: 'GPUs', metric: 'DCGM_FI_DEV_FB_USED', needed: 'urgent' },
  { title: 'profiling', metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', needed: 'lesser' },
  { title: 'machines', metric: 'vm_memory_total_bytes', needed: 'urgent' },
  { title: 'InfiniBand', metric: 'ib_port_line_rate', needed: 'urgent' },
  { title: 'shared disks', metric: 'sdisk_capacity_used_bytes', needed: 'urgent' },
  { title: 'local NVMe drives', metric: 'vm_nvme_percentage_used', needed: 'lesser' },
  { title: 'disks', metric: 'vm_disk_bytes_used', needed: 'urgent' },
  { title: 'object storage', metric: 'vm_objectstore_bytes_recv_total', needed: 'lesser' },
  { title: 'load balancers', metric: 'elb_new_flows', needed: 'urgent' },
  { title: 'Slurm', metric: 'slurm_nodes', needed: 'urgent' },
  { title: 'Slurm, by soperator', metric: 'slurm_node_info', needed: 'urgent' },
];

/** Series of a family: of its metric, or of one of a vendor whose name is not known to the end. */
export const familySelector = (metric: string, ofVendor: (name: string) => string): string =>
  /^DCGM_|^slurm_node_info$/.test(metric) ? anywhere(metric) : ofVendor(metric);
