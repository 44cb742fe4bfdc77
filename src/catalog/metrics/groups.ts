import { GPU, GPU_PROFILING, ROLLUPS } from './gpu.ts';
import { INFINIBAND, NODE, SLURM } from './machine.ts';
import { CUSTOM, LOAD_BALANCER } from './service.ts';
import { DISK, NVME, OBJECT_STORAGE, SHARED_DISK } from './storage.ts';
import type { MetricGroup } from './types.ts';

/** The catalog, in the order in which it is shown. */
export const METRIC_GROUPS: MetricGroup[] = [
  GPU,
  GPU_PROFILING,
  ROLLUPS,
  NODE,
  INFINIBAND,
  SHARED_DISK,
  DISK,
  NVME,
  OBJECT_STORAGE,
  LOAD_BALANCER,
  SLURM,
  CUSTOM,
];
