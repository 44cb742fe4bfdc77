import { UNKNOWN_XID, XID_CODES, type XidCode } from '../../../src/catalog/xid.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { now, threshold } from '../expressions.ts';
import { ALL_NODES, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { choose, counted, fixed, NODE as NODE_TEXT, oneOrMany } from '../texts.ts';

// A rule keeps a state for each label set that its query returns. `topk` and filters keep that few on thousands of GPUs.
const NODE = 'cluster_id, vm_name, instance';
const GPU = `${NODE}, gpu`;

const GPU_TEXT = `GPU {{ $labels.gpu }} of ${NODE_TEXT}`;

/** Variables of the dashboard of one GPU. */
const OF_GPU = { ...ON_NODE, gpu: '$labels.gpu' };

const UTILIZATION = `max by (${GPU}) (${over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_UTIL'), '15m')})`;

/** More than 8 GiB all the time: a job runs and has not ended meanwhile. */
const MEMORY_HELD = `max by (${GPU}) (min_over_time(DCGM_FI_DEV_FB_USED[15m])) > 8192`;

const TEMPERATURE = over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_TEMP'), '5m');

const XID = anywhere('DCGM_FI_DEV_XID_ERRORS');

/** The code of an hour ago, or the last one before it where samples are missing. */
const XID_BEFORE = ['1h', '2h', '1d'].map((ago) => `max by (${GPU}) (${XID} offset ${ago})`).join(' or ');

/** The code did not change within the hour. Comparing extremes works alike in all engines; `changes` does not. */
const XID_CONSTANT = `max by (${GPU}) (${over('max_over_time', XID, '1h')}) == min by (${GPU}) (${over('min_over_time', XID, '1h')})`;

const CLOCK = `
  max by (${GPU}) (avg_over_time(DCGM_FI_DEV_SM_CLOCK[15m]))
  and ${UTILIZATION} > 50
  and ${MEMORY_HELD}`;

/** A text for each XID code. Codes with the same text share a branch. */
function ofXid(text: (code: Omit<XidCode, 'code'>) => string, otherwise: string): string {
  const codes = new Map<string, string[]>();
  XID_CODES.forEach((xid) => codes.set(text(xid), [...(codes.get(text(xid)) ?? []), String(xid.code)]));
  return choose(
    '$labels.xid',
    [...codes].map(([shared, of]) => [of, shared]),
    otherwise
  );
}

export const gpu: RuleGroup = {
  name: 'GPU',
  interval: '1m',
  rules: [
    {
      id: 'gpu-idle',
      title: 'GPU idle while a job runs',
      severity: 'warning',
      query: now(`
          topk(100,
            count by (${NODE}) (
              ${UTILIZATION} < 5
              and ${MEMORY_HELD}
            )
          )`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '5m',
      noData: { state: 'OK', because: 'no GPU is idle while its memory is in use' },
      summary: 'Fires when GPUs of a node do nothing for 15 minutes while a job holds their memory.',
      description: `${counted('A', 'GPU')} of ${NODE_TEXT} ${oneOrMany('A', 'is', 'are')} idle while a job holds the memory: utilization is below 5 % over 15 minutes, with more than 8 GiB in use throughout.`,
      action: oneOrMany(
        'A',
        'Look for the process on this GPU: it died, or a notebook was left open. End it.',
        'Look at the log and the stacks of the job: it hangs, or waits for data. Restart it from its last checkpoint if it hangs.'
      ),
      link: { board: 'node', panel: 'Utilization', variables: ON_NODE, states: ALL_NODES },
    },
    {
      id: 'gpu-hot',
      title: 'GPU hot',
      severity: 'warning',
      query: now(`
          topk(100,
            count by (${NODE}) (max by (${GPU}) (${TEMPERATURE}) > 83)
            or 0 * max by (${NODE}) (${TEMPERATURE})
          )`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '5m',
      noData: {
        state: 'NoData',
        because: 'every GPU has a temperature: without any, the monitoring agent or the GPU operator is gone',
      },
      summary: 'Fires when a GPU is above 83 °C on average over 5 minutes.',
      description: `${counted('A', 'GPU')} of ${NODE_TEXT} ${oneOrMany('A', 'is', 'are')} above 83 °C on average over 5 minutes.`,
      action: oneOrMany(
        'A',
        'Move the job to another node before the GPU throttles, and report the GPU: the others of its node are cool.',
        'Move the job to another node before the GPUs throttle, and report the cooling of the node.'
      ),
      link: { board: 'node', panel: 'Temperature', variables: ON_NODE, states: ALL_NODES },
    },
    {
      id: 'gpu-xid',
      title: 'XID error',
      severity: 'critical',
      query: now(`
          count_values by (${GPU}) ("xid",
            max by (${GPU}) (${XID}) > 0
            unless (
              max by (${GPU}) (${XID}) == (${XID_BEFORE})
              and ${XID_CONSTANT}
            )
          )`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no GPU reports a new error' },
      summary: 'Fires for an hour when the driver reports a new XID error of a GPU.',
      description: `${GPU_TEXT} reports XID {{ $labels.xid }}: ${ofXid(({ meaning, origin }) => `${meaning}. Usual origin: ${origin}`, UNKNOWN_XID.meaning)}.`,
      action: ofXid(({ action }) => action, UNKNOWN_XID.action),
      link: { board: 'gpu', panel: 'At the end of the range', variables: OF_GPU, states: ALL_NODES },
    },
    {
      id: 'gpu-ecc',
      title: 'ECC error or failed row remapping',
      severity: 'critical',
      query: now(`
          max by (${GPU}) (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h])) > 0
          or max by (${GPU}) (${anywhere('DCGM_FI_DEV_ROW_REMAP_FAILURE')}) > 0`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no GPU has a memory fault' },
      summary: 'Fires when GPU memory has an error that cannot be corrected, or no spare rows left.',
      description: `The memory of ${GPU_TEXT} is faulty: within the past hour it had a double-bit ECC error, which is not corrected, or it can no longer replace faulty rows.`,
      action:
        'Restart the job from its last checkpoint on another node; drain this node, reset the GPU and report it to the platform.',
      link: { board: 'gpu', panel: 'ECC errors', variables: OF_GPU, states: ALL_NODES },
    },
    {
      id: 'gpu-straggler',
      title: 'GPU clock below its peers',
      severity: 'warning',
      query: now(`
          bottomk(100,
            100 * (${CLOCK})
            / on (${NODE}) group_left ()
            quantile by (${NODE}) (0.5, ${CLOCK})
          )`),
      conditions: [threshold('A', 'lt', 85)],
      pending: '10m',
      noData: { state: 'OK', because: 'no GPU is busy, so no clock can be compared' },
      summary: 'Fires when a busy GPU runs at a clearly lower clock than the other busy GPUs of its node.',
      description: `${GPU_TEXT} runs at ${fixed('A', 1)} % of the clock of the busy GPUs of its node (median over 15 minutes). Work that is shared in step can be as slow as this GPU; whether others wait for it, utilization does not show.`,
      action:
        'Compare its temperature and power with its peers: heat or a power limit lowers the clock. Move the job and report the GPU if it stays.',
      link: { board: 'node', panel: 'GPUs', variables: ON_NODE, states: ALL_NODES },
    },
  ],
};
