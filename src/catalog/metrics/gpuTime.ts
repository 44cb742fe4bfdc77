import { CAUSES, THRESHOLDS as T, type CauseId } from '../gpuTime.ts';
import type { MetricGroup, StarterQuery } from './types.ts';

const share = (percent: string) => Number(percent) / 100;

const ACTIVE = `(DCGM_FI_PROF_SM_ACTIVE > ${share(T.sm_above)} or DCGM_FI_PROF_PIPE_TENSOR_ACTIVE > ${share(T.tensor_above)})`;
const IDLE = `DCGM_FI_DEV_GPU_UTIL <= ${T.running_above}`;
const WAITING = `(DCGM_FI_DEV_GPU_UTIL > ${T.running_above} unless ${ACTIVE})`;
const THROTTLED = (reason: string) => `irate(DCGM_FI_DEV_${reason}_VIOLATION[3m]) > ${share(T.throttled_above)} * 1e9`;
const CPU = 'sum by (instance) (rate(vendor_vm_cpu_seconds_total[$__rate_interval]))';
const ofMode = (modes: string) => CPU.replace('_total', `_total{mode=~"${modes}"}`);

/** GPUs that meet the condition of a cause, whether or not they meet that of an earlier one, too. */
const CONDITIONS: Record<CauseId, string> = {
  noData: `last_over_time(DCGM_FI_DEV_GPU_UTIL[${T.known_for}]) unless last_over_time(DCGM_FI_DEV_GPU_UTIL[3m])`,
  faulted: `(stdvar_over_time(DCGM_FI_DEV_XID_ERRORS[15m]) > 0 and DCGM_FI_DEV_XID_ERRORS > 0) or DCGM_FI_DEV_ROW_REMAP_FAILURE > 0`,
  throttled: `${THROTTLED('POWER')} or ${THROTTLED('THERMAL')}`,
  computing: ACTIVE,
  waitingNetwork: `${WAITING} and on (vm_name) (64 * rate(vendor_ib_port_tx_wait[15m]) / vendor_ib_port_line_rate > ${share(T.sending_above)} or increase(vendor_ib_port_link_downed[15m]) > 0)`,
  waitingStorage: `${WAITING} and on (instance) ${ofMode('iowait')} / ${CPU} > ${share(T.iowait_above)}`,
  waitingHost: `${WAITING} and on (instance) ${ofMode('user|system')} / ${CPU} > ${share(T.host_above)}`,
  waitingPeers: `${WAITING} and on (instance) ${ACTIVE}`,
  waiting: WAITING,
  heldIdle: `DCGM_FI_DEV_FB_USED > ${T.held_above} and ${IDLE}`,
  free: `DCGM_FI_DEV_FB_USED <= ${T.held_above} and ${IDLE}`,
};

const query = ({ id, title, meaning }: (typeof CAUSES)[number]): StarterQuery => ({
  name: id === 'waiting' ? 'Waiting, for whatever' : title,
  description: id === 'waiting' ? 'Kernels run but compute little.' : meaning,
  expr: `count by (instance) (${CONDITIONS[id]}) or 0 * count by (instance) (DCGM_FI_DEV_GPU_UTIL)`,
  legend: '{{instance}}',
  unit: 'short',
});

/** What GPU time goes into: no metrics of its own, but what those of GPUs and their machines say together. */
export const GPU_TIME: MetricGroup = {
  name: 'GPU time',
  description: `How many GPUs of each node meet the condition of a cause. A GPU can meet several; the dashboard GPU time counts the first.`,
  interval: '1m',
  labels: ['instance'],
  needs: 'The monitoring agent on the machines, and profiling counters of the GPUs.',
  families: [],
  queries: CAUSES.map(query),
};
