import { now, threshold } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';

// A rule keeps a state for each label set that its query returns. `topk` and filters keep that few on thousands of GPUs.
const NODE = 'cluster_id, vm_name, instance';
const GPU = `${NODE}, gpu`;

/** The same for every alert on a GPU; where the platform gives no `vm_name`, there is `instance`. */
const WHERE = 'GPU {{ $labels.gpu }} of {{ or $labels.vm_name $labels.instance }}';

const UTILISATION = 'avg_over_time(DCGM_FI_DEV_GPU_UTIL[15m])';

export const gpu: RuleGroup = {
  name: 'GPU',
  interval: '1m',
  rules: [
    {
      id: 'gpu-idle',
      title: 'GPU idle while a job runs',
      severity: 'warning',
      query: now(`
          bottomk(100,
            max by (${GPU}) (${UTILISATION})
            and max by (${GPU}) (min_over_time(DCGM_FI_DEV_FB_USED[15m])) > 8192
          )`),
      conditions: [threshold('A', 'lt', 5)],
      pending: '5m',
      noData: { state: 'OK', because: 'no GPU has had memory in use for 15 minutes, so no job runs' },
      summary: `${WHERE} is idle while a job holds its memory`,
      description:
        'Utilisation over 15 minutes is {{ printf "%.1f" $values.A.Value }} %, with more than 8 GiB of its memory in use throughout.',
    },
    {
      id: 'gpu-hot',
      title: 'GPU hot',
      severity: 'warning',
      query: now(`topk(100, max by (${GPU}) (avg_over_time(DCGM_FI_DEV_GPU_TEMP[5m])))`),
      conditions: [threshold('A', 'gt', 83)],
      pending: '5m',
      noData: {
        state: 'NoData',
        because: 'every GPU has a temperature: without any, the monitoring agent or the GPU operator is gone',
      },
      summary: `${WHERE} is hot`,
      description: 'It has {{ printf "%.0f" $values.A.Value }} °C on average over 5 minutes.',
    },
    {
      id: 'gpu-xid',
      title: 'XID error',
      severity: 'critical',
      query: now(`max by (${GPU}) (DCGM_FI_DEV_XID_ERRORS) > 0`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no GPU reports an error' },
      summary: `${WHERE} reports XID {{ printf "%.0f" $values.A.Value }}`,
      description:
        'The driver reports XID error {{ printf "%.0f" $values.A.Value }}. What the number means: https://docs.nvidia.com/deploy/xid-errors/',
    },
    {
      id: 'gpu-ecc',
      title: 'ECC error or failed row remapping',
      severity: 'critical',
      query: now(`
          max by (${GPU}) (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h])) > 0
          or max by (${GPU}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no GPU has a memory fault' },
      summary: `${WHERE} has a memory fault`,
      description:
        'Within the past hour it had a double-bit ECC error, which is not corrected, or it can no longer replace faulty memory rows.',
    },
    {
      id: 'gpu-straggler',
      title: 'Straggler GPU',
      severity: 'warning',
      query: now(`
          bottomk(100,
            max by (${GPU}) (${UTILISATION} > 20)
            / on (${NODE}) group_left ()
            (quantile by (${NODE}) (0.5, ${UTILISATION}) > 50)
          )`),
      conditions: [threshold('A', 'lt', 0.85)],
      pending: '10m',
      noData: { state: 'OK', because: 'no node is busy, so no GPU can fall behind' },
      summary: `${WHERE} is slower than its peers`,
      description:
        'Its utilisation over 15 minutes is {{ humanizePercentage $values.A.Value }} of the median on its node. A job that waits for all its GPUs is as slow as this one.',
    },
  ],
};
