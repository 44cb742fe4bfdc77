import { APPLICATION_CODES, CAUSES, LOSS, THRESHOLDS as T, type CauseId } from '../gpuTime.ts';
import { computesAt, OTHER_BOARD } from '../boards.ts';
import type { MetricGroup, StarterQuery } from './types.ts';

const share = (percent: number | string) => Number(percent) / 100;

const IDLE = `DCGM_FI_DEV_GPU_UTIL <= ${T.running_above}`;
const ACTIVE = `DCGM_FI_PROF_SM_ACTIVE > ${share(T.sm_above)}`;
const RESERVED = 'min by (cluster_id, instance) (min_over_time(DCGM_FI_DEV_FB_USED[6h]))';
const CLOCK = 'max_over_time(DCGM_FI_DEV_SM_CLOCK[150s])';
const USUAL_CLOCK = `quantile by (cluster_id, instance, modelName) (0.5, ${CLOCK} > ${LOSS.idleClock})`;
const HEAT = `irate(DCGM_FI_DEV_THERMAL_VIOLATION[150s]) > ${share(LOSS.heat)} * 1e9`;

/** GPUs that meet a condition of a cause, whether or not they meet that of an earlier one, too. */
const CONDITIONS: Record<CauseId, string> = {
  noData: `last_over_time(DCGM_FI_DEV_GPU_UTIL[${T.known_for}]) unless last_over_time(DCGM_FI_DEV_GPU_UTIL[150s])`,
  faulted: `DCGM_FI_DEV_XID_ERRORS > 0 ${APPLICATION_CODES.map((code) => `!= ${code}`).join(' ')} and stdvar_over_time(DCGM_FI_DEV_XID_ERRORS[6h]) > 0`,
  throttled: `${CLOCK} < on (cluster_id, instance, modelName) group_left () ${1 - share(T.slower_by)} * ${USUAL_CLOCK} and on (cluster_id, instance, gpu) ${HEAT}`,
  computing: `${ACTIVE} or deriv(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[150s]) / 1000 > ${computesAt(OTHER_BOARD)}`,
  lowActivity: `DCGM_FI_DEV_GPU_UTIL > ${T.running_above} unless ${ACTIVE}`,
  heldIdle: `DCGM_FI_DEV_FB_USED > on (cluster_id, instance) group_left () ${T.held_above} + ${RESERVED} and ${IDLE}`,
  free: `DCGM_FI_DEV_FB_USED <= on (cluster_id, instance) group_left () ${T.held_above} + ${RESERVED} and ${IDLE}`,
  notMeasured: 'DCGM_FI_DEV_POWER_USAGE unless (DCGM_FI_DEV_GPU_UTIL or DCGM_FI_PROF_GR_ENGINE_ACTIVE)',
};

const query = ({ id, title, meaning }: (typeof CAUSES)[number]): StarterQuery => ({
  name: title,
  description: meaning,
  expr: `count by (instance) (${CONDITIONS[id]}) or 0 * count by (instance) (DCGM_FI_DEV_POWER_USAGE)`,
  legend: '{{instance}}',
  unit: 'short',
});

/** What GPU time goes into: no metrics of its own, but what those of GPUs say together. */
export const GPU_TIME: MetricGroup = {
  name: 'GPU time',
  description: `How many GPUs of each node meet a condition of a cause, in short. A GPU can meet several; the dashboard GPU time counts one, and compares power with that of the board.`,
  interval: '1m',
  labels: ['instance'],
  needs: 'The monitoring agent on the machines. Profiling counters of the GPUs make it better.',
  families: [],
  queries: CAUSES.map(query),
};
