/** A group of metrics that the platform collects together, or does not. */
export interface Family {
  /** How often the platform collects it: the shortest step that makes sense. */
  interval: '30s' | '1m' | '5m';
  /** Why there can be nothing, as the end of a sentence. */
  missing: string;
}

const family = (missing: string, interval: Family['interval'] = '1m'): Family => ({ interval, missing });

export const GPU = family(
  'no GPU metrics: install the monitoring agent and, in a managed container cluster, the GPU operator add-on.'
);
export const PROFILING = family('no profiling metrics (DCGM_FI_PROF_…): the GPU exporter here has them switched off.');
export const NODE = family('no node metrics: install the monitoring agent on the machines.');
export const INFINIBAND = family(
  'no InfiniBand metrics: the machines have no InfiniBand ports, or no monitoring agent.',
  '5m'
);
export const SHARED_DISK = family('no shared-disk metrics: this project has no shared disk.', '5m');
export const NVME = family('no metrics of local NVMe drives: the machines have none, or no monitoring agent.');
export const DISK = family('no metrics of boot and persistent disks: install the monitoring agent on the machines.');
export const OBJECT_STORAGE = family(
  'no object-storage metrics: no machine has connected to object storage, or there is no monitoring agent.'
);
export const LOAD_BALANCER = family('no load-balancer metrics: this project has no load balancer.', '30s');
export const SLURM = family('no Slurm metrics: they come from managed Slurm clusters only.');
export const JOBS = family(
  'no fine-tuning job overlaps this time range: choose a longer one. Or fine-tuning is not set up.'
);
export const RUNS = family('no run was found in this time range: choose a longer one, or other series.');
export const GOING_ON = family('no fine-tuning job runs or is paused, or fine-tuning is not set up.');
export const PLACES = family('there is no place of the chosen GPU types: neither on offer nor among own nodes.');
export const IDLE_NODES = family(
  'no own GPU of the chosen types is free for certain: the places above say of which nodes it is not known.'
);
export const LISTS = family('the platform lists nothing here, or the main API is not set up.');
