import { HOST, over } from './promql.ts';

/** Below this share of its peers' median a GPU is a straggler. */
const SHARE = 0.85;

type Select = (metric: string) => string;

/** Utilization of each GPU in the ten minutes before a step: a long range costs the platform no more than a short one. */
const utilization = (select: Select) => over('avg_over_time', select('DCGM_FI_DEV_GPU_UTIL'), '10m');

/** The share of the median of its node that each GPU reaches, where that is a straggler's and the node is busy. */
export function straggling(select: Select): string {
  const own = utilization(select);
  return `${own} / on (${HOST}) group_left () (quantile by (${HOST}) (0.5, ${own}) > 10) < ${SHARE}`;
}
