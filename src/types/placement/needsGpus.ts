import type { PlacementFormat } from './query';

/** Whether a result depends on how many GPUs are wanted. Numbers are what is possible anyway. */
export const needsGpus = (format: PlacementFormat = 'table'): boolean => ['table', 'answer'].includes(format);
