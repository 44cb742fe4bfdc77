import { UNKNOWN_XID, XID_CODES, type XidCode } from '../../../src/catalog/xid.ts';
import { STRAGGLER_CAUSES, type StragglerCause } from '../../../src/catalog/stragglers.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { fleetOf, slow, slowNodes, waiting } from '../../lib/stragglers.ts';
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

const TEMPERATURE = over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_TEMP'), '5m');

const XID = anywhere('DCGM_FI_DEV_XID_ERRORS');

/** The code of an hour ago, or the last one before it where samples are missing. */
const XID_BEFORE = ['1h', '2h', '1d'].map((ago) => `max by (${GPU}) (${XID} offset ${ago})`).join(' or ');

/** The code did not change within the hour. Comparing extremes works alike in all engines; `changes` does not. */
const XID_CONSTANT = `max by (${GPU}) (${over('max_over_time', XID, '1h')}) == min by (${GPU}) (${over('min_over_time', XID, '1h')})`;

const FLEET = fleetOf(anywhere, NODE);
const WHO = { board: 'stragglers', panel: 'GPUs slower than their peers' } as const;

/** A text for the cause of a slow GPU. */
const ofCause = (text: (cause: StragglerCause) => string): string =>
  choose(
    '$labels.cause',
    Object.entries(STRAGGLER_CAUSES).map(([cause, entry]) => [[cause], text(entry)]),
    text(STRAGGLER_CAUSES['low clock'])
  );

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
      title: 'GPU slower than its peers',
      severity: 'warning',
      query: now(`100 * topk(100, ${slow(FLEET)})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '10m',
      noData: { state: 'OK', because: 'no GPU under load is slower than its peers' },
      summary: 'Fires when a GPU under load runs at a clearly lower clock than the others of its node.',
      description: `The clock of ${GPU_TEXT} is ${fixed('A', 1)} % below the median of its node under load (over 10 minutes). Why: ${ofCause(({ reason }) => reason)}. Work that is shared in step is as slow as this GPU.`,
      action: ofCause(({ action }) => action),
      link: { board: 'stragglers', panel: 'GPUs slower than their peers', variables: OF_GPU, states: WHO },
    },
    {
      id: 'gpu-pcie',
      title: 'GPU held back by its PCIe link',
      severity: 'warning',
      query: now(`100 * topk(100, ${waiting(FLEET)})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '10m',
      noData: { state: 'OK', because: 'no GPU repeats PCIe transfers and is idle meanwhile' },
      summary: 'Fires when a GPU repeats PCIe transfers and is idle while the others of its node are not.',
      description: `${GPU_TEXT} runs kernels for ${fixed('A', 1)} % less of the time than the median of its node, and repeats PCIe transfers: ${STRAGGLER_CAUSES.PCIe.reason}. Work that is shared in step is as slow as this GPU.`,
      action: STRAGGLER_CAUSES.PCIe.action,
      link: { board: 'stragglers', panel: 'GPUs slower than their peers', variables: OF_GPU, states: WHO },
    },
    {
      id: 'node-straggler',
      title: 'Node slower than its node pool',
      severity: 'warning',
      query: now(`100 * topk(100, ${slowNodes(FLEET)})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '15m',
      noData: { state: 'OK', because: 'no node under load is slower than its node pool' },
      summary: 'Fires when all GPUs of a node run at a clearly lower clock than those of its node pool.',
      description: `The median clock of the GPUs of ${NODE_TEXT} is ${fixed('A', 1)} % below that of the nodes under load of its pool. If they share a job, it is as slow as this node.`,
      action:
        'Compare temperature and throttling of its GPUs with those of another node: heat in all of them is the cooling of the machine. Move the job and report the node.',
      link: { board: 'stragglers', panel: 'Nodes slower than their node pool', variables: OF_GPU },
    },
  ],
};
