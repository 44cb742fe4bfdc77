import { anywhere } from './promql.ts';

/** A family of metrics that the platform collects together, by one metric with few series. */
interface Collected {
  title: string;
  /** That of a vendor's metric is without its prefix. */
  metric: string;
  /** Urgent rules need it. Profiling is not, because it stops by itself while somebody profiles a job. */
  isUrgent?: true;
}

export const COLLECTED: Collected[] = [
  { title: 'GPUs', metric: 'DCGM_FI_DEV_FB_USED', isUrgent: true },
  { title: 'profiling', metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE' },
  { title: 'machines', metric: 'vm_memory_total_bytes', isUrgent: true },
  { title: 'InfiniBand', metric: 'ib_port_line_rate', isUrgent: true },
  { title: 'shared disks', metric: 'sdisk_capacity_used_bytes', isUrgent: true },
  { title: 'local NVMe drives', metric: 'vm_nvme_percentage_used' },
  { title: 'disks', metric: 'vm_disk_bytes_used', isUrgent: true },
  { title: 'object storage', metric: 'vm_objectstore_bytes_recv_total' },
  { title: 'load balancers', metric: 'elb_new_flows', isUrgent: true },
  { title: 'Slurm', metric: 'slurm_nodes', isUrgent: true },
  { title: 'Slurm, by soperator', metric: 'slurm_node_info', isUrgent: true },
];

/** Series of a family: of its metric, or of one of a vendor whose name is not known to the end. */
export const familySelector = (metric: string, ofVendor: (name: string) => string): string =>
  /^DCGM_|^slurm_node_info$/.test(metric) ? anywhere(metric) : ofVendor(metric);
