import { MOST_RESERVED } from '../../lib/causePromql.ts';
import { GPU_LABELS, HOST_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, over, withLabel } from '../../lib/promql.ts';
import { anyVendor } from '../../lib/quantities.ts';
import { ofHardware, UNKNOWN_XID, XID_CODES, type XidCode } from '../../lib/xid.ts';
import { inService, TWO_OF_NODE } from '../drained.ts';
import { math, now } from '../expressions.ts';
import { ALL_FAULTS, ON_GPU, ON_NODE } from '../links.ts';
import { A_DAY, before, highest, HOURS, seen, UP_TO_A_DAY } from '../past.ts';
import { type AlertRule, type RuleGroup } from '../rule.ts';
import { choose, counted, fixed, GPU, NODE, oneOrMany, valueOf } from '../texts.ts';

/** The GPU among those of its node. */
const THE_GPU = { board: 'node', panel: 'GPUs', variables: ON_GPU, states: ALL_FAULTS } as const;

/** A high rate of errors that are corrected: jobs go on, and it is the memory that wears out. */
const MANY_CORRECTED = 92;

const DAY_BEFORE = ['1d', '6h', '1h'];

const XID = anywhere('DCGM_FI_DEV_XID_ERRORS');

/** Of series without a code for an hour: those of a second exporter of the GPU, which began after the code. */
const WITHOUT_XID = `(${XID} == 0 and ${over('max_over_time', XID, '1h')} == 0)`;

const HIGHEST_XID = `max by (${GPU_LABELS}) (${named(over('max_over_time', XID, '1h'))})`;

/** The code did not change within the hour. Comparing extremes works alike in all engines; `changes` does not. */
const XID_CONSTANT = `${HIGHEST_XID} == min by (${GPU_LABELS}) (${named(`${over('min_over_time', XID, '1h')} unless ${WITHOUT_XID}`)})`;

/** Codes after which the GPU is well wake nobody: the job's own log has them. */
const urgent = (codes: string): string => ofHardware(codes, MANY_CORRECTED);

/** Those whose counter is higher than it was. */
const higher = (by: string, metric: string, moments: string[]): string =>
  `${highest(by, anywhere(metric))} > ${before(by, anywhere(metric), moments)}`;

const moreRows = (kind: string, by: string, moments: string[]): string =>
  higher(by, `DCGM_FI_DEV_${kind}_REMAPPED_ROWS`, moments);

/**
 * A row was replaced for errors that were corrected, as the counters of rows say, so that jobs go on. One that was replaced for another error has
 * ended a job, and the code of that error may have come and gone between two scrapes.
 */
const ROW_REPLACED = 63;
const WEARS_OUT = `(
    ${HIGHEST_XID} == ${ROW_REPLACED} and on (${GPU_LABELS}) (${moreRows('CORRECTABLE', GPU_LABELS, ['2h'])})
    unless on (${GPU_LABELS}) (${moreRows('UNCORRECTABLE', GPU_LABELS, ['2h'])})
  )`;

/**
 * GPUs with a new code: the newest, or one of the hour, because the code of a job that it ends may follow, and scrapes be missed.
 */
const NEW_XID = `((
    ${urgent(`max by (${GPU_LABELS}) (${named(XID)})`)} unless ${XID_CONSTANT}
    or ${urgent(HIGHEST_XID)} unless ${HIGHEST_XID} == ${before(GPU_LABELS, XID, ['1h', '2h', '1d'])}
  ) unless on (${GPU_LABELS}) ${WEARS_OUT})`;

const NEW_CORRECTED = `(max by (${GPU_LABELS}) (${named(XID)}) == ${MANY_CORRECTED} unless ${XID_CONSTANT})`;

/** A text for each XID code. Codes with the same text share a branch. */
function ofXid(text: (code: Omit<XidCode, 'code'>) => string, otherwise: string): string {
  const codes = new Map<string, number[]>();
  XID_CODES.forEach((xid) => codes.set(text(xid), [...(codes.get(text(xid)) ?? []), xid.code]));
  return choose(
    valueOf('A'),
    [...codes].map(([shared, of]) => [of, shared]),
    otherwise
  );
}

const ECC = 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL';

const ECC_MOMENTS = ['1h', '2h', '1d'];

/**
 * The counter begins again at 0 when the GPU is reset: what it had before may be more than a new error is. An exporter that counts 0 as it
 * starts, and then as many as before, has none.
 */
const ECC_SINCE_RESET = `
    ${highest(GPU_LABELS, anywhere(ECC))} > min by (${GPU_LABELS}) (${named(over('min_over_time', anywhere(ECC), '1h'))})
    unless ${highest(GPU_LABELS, anywhere(ECC))} == ${before(GPU_LABELS, anywhere(ECC), ECC_MOMENTS)}`;

const NEW_ECC = `(${higher(GPU_LABELS, ECC, ECC_MOMENTS)} or ${ECC_SINCE_RESET})`;

/** A GPU keeps its replaced rows for life, so those of one that took the place of another are compared with its own. */
const NEW_ROW = `max by (${GPU_LABELS}) (${['UNCORRECTABLE', 'CORRECTABLE']
  .map((kind) => moreRows(kind, `${GPU_LABELS}, UUID`, ECC_MOMENTS))
  .join(' or ')})`;

const REPORTED = anywhere('DCGM_FI_DEV_FB_USED');

/** GPUs with samples, with MIG as well. */
const REPORTING = `group by (${GPU_LABELS}) (${named(over('last_over_time', REPORTED, '10m'))})`;

/**
 * For how long a node has to be drained that nobody is notified of: since before its last sample, which was a quarter of an hour ago when an alert
 * begins, because a check of the scheduler may drain it for that.
 */
const BEFORE_GONE = '20m';

/** Those that had some, on nodes that nobody has taken out of service before. */
const GONE = inService(`${seen(GPU_LABELS, REPORTED, A_DAY)} unless ${REPORTING}`, '1d', BEFORE_GONE);

/** Those of nodes: a GPU that still reports is on one that was renamed, as where an exporter gives its own name, which a restart changes. */
const GONE_WITH_NODE = `group by (${GPU_LABELS}) (${inService(
  `${seen(`${GPU_LABELS}, UUID`, REPORTED, HOURS)}
    unless on (cluster_id, UUID) ${over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED', 'UUID!=""'), '10m')}`,
  '1d'
)})`;

/** Of whole GPUs: who has an instance with MIG may hold its memory for days. */
const LEAST_USED = `min by (${GPU_LABELS}) (${named(over('min_over_time', anywhere('DCGM_FI_DEV_FB_USED', 'GPU_I_ID=""'), '5m'))})`;

/**
 * Nodes that went while the memory of a GPU was in use: from one that was emptied before, by an autoscaler or for maintenance, nobody has
 * lost anything. By the least of five minutes, because the labels of a pod go with it, and its series has the last sample for as long.
 */
const WENT_IN_USE = `group by (${NODE_LABELS}) (last_over_time((${LEAST_USED})[2h15m:5m]) > ${MOST_RESERVED})`;

/** Nodes whose machine has not gone with them: nobody gave it back, and what stopped is its driver or exporter. */
const RUNS_ON = `group by (${NODE_LABELS}) (${named(over('last_over_time', anyVendor('vm_memory_total_bytes'), '10m'))})`;

/** Nodes that their provider takes back at any time, as names of pools and nodes say: what runs there is made for it. */
const SPOT = '(?i)(.*[!-@_])?(spot|preemptible)s?([!-@_].*)?';
const PREEMPTIBLE = ['nodepool_name', ...HOST_LABELS]
  .map((label) => named(over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED', `${label}=~"${SPOT}"`), '2h15m')))
  .join(' or ');

/** Nodes of which an error, or a GPU that was missing before, is known: somebody restarts them. */
const KNOWN_FAULTS = `group by (${NODE_LABELS}) (
    ${urgent(`max by (${GPU_LABELS}) (${named(over('last_over_time', XID, '3h'))})`)}
    or (${seen(GPU_LABELS, REPORTED, UP_TO_A_DAY)} unless ${seen(GPU_LABELS, REPORTED, HOURS)})
  )`;

const POOL_OF_MODEL = 'cluster_id, modelName';

/** How many GPUs of each model are on nodes in service. */
const ofModels = (gpus: string): string => `count by (${POOL_OF_MODEL}) (${inService(gpus, '1d')})`;
const GPU_AND_MODEL = `${GPU_LABELS}, modelName`;
const NOW = `group by (${GPU_AND_MODEL}) (${named(over('last_over_time', REPORTED, '10m'))})`;
/** A driver may give a model another name: GPUs that had one a day ago and still report are left of it. */
const LEFT = `${ofModels(`${NOW} or ${seen(GPU_AND_MODEL, REPORTED, DAY_BEFORE)} and on (${GPU_LABELS}) ${REPORTING}`)} or 0 * ${seen(POOL_OF_MODEL, REPORTED, DAY_BEFORE)}`;

/** The least at some moments of a day: an autoscaler gives nodes back at night. */
const USUAL = `min by (${POOL_OF_MODEL}) (count by (${POOL_OF_MODEL}, ago) (${inService(
  ['12h', '18h', '1d'].map((ago) => withLabel(seen(GPU_AND_MODEL, REPORTED, [ago]), 'ago', ago)).join(' or '),
  '1d'
)}))`;

/** What happens to GPUs, rather than how fast they are, and stops work at once. */
export const faults: AlertRule[] = [
  {
    id: 'gpu-xid',
    title: 'XID error',
    severity: 'critical',
    // The number is the code: one that follows, such as that of a job that ends, is no other alert.
    query: now(NEW_XID),
    summary: 'Fires for an hour when the driver reports a new XID error of a GPU that no application causes.',
    description: `${GPU} reports XID ${fixed('A', 0)}: ${ofXid(({ meaning, origin }) => `${meaning}. Usual origin: ${origin}`, UNKNOWN_XID.meaning)}.`,
    action: ofXid(({ action }) => action, UNKNOWN_XID.action),
    link: THE_GPU,
  },
  {
    id: 'gpu-missing',
    title: 'GPUs stopped reporting',
    severity: 'critical',
    query: now(`topk(100, count by (${NODE_LABELS}) (${GONE} and on (${NODE_LABELS}) ${REPORTING}))`),
    pending: '5m',
    keepFiringFor: '1h',
    summary:
      'Fires when GPUs that had samples within a day have none, while others of their node do, on a node that is in service.',
    description: `${counted('A', 'GPU')} of ${NODE} ${oneOrMany('A', 'has', 'have')} no samples for more than 10 minutes, while others of the node do.`,
    action: 'Look for XID 79 with dmesg: the GPU has fallen off the bus. Drain the node and restart it.',
    link: { board: 'node', panel: 'GPUs', variables: ON_NODE, states: ALL_FAULTS },
  },
  {
    id: 'node-missing',
    title: 'Node stopped reporting',
    severity: 'critical',
    query: now(`
        topk(100,
          count by (${NODE_LABELS}) (${GONE_WITH_NODE})
          unless on (${NODE_LABELS}) ${REPORTING}
          and on (cluster_id) ${TWO_OF_NODE}
          and on (${NODE_LABELS}) (${WENT_IN_USE} or ${RUNS_ON})
          unless on (${NODE_LABELS}) ${KNOWN_FAULTS}
          unless on (${NODE_LABELS}) (${PREEMPTIBLE})
        )`),
    pending: '5m',
    summary:
      'Fires for two hours when no GPU of a node has samples any more, of which one was in use to the end or whose machine runs on, and the node was not drained, faulty, or a spot node by its name.',
    description: `None of the ${counted('A', 'GPU')} of ${NODE} has samples for more than 10 minutes, and memory of one was in use to the end, or the machine runs on.`,
    action: 'Look whether the machine runs, then whether the exporter does. Restart its jobs on another node.',
    link: { board: 'node', panel: 'GPUs', variables: ON_NODE, states: ALL_FAULTS },
  },
];

/**
 * What can wait for some minutes: each reads a few moments of every GPU, which in a fleet of 10,000 takes the platform seconds. A job that an
 * ECC error ends has an XID error, too.
 */
export const slowFaults: RuleGroup = {
  name: 'GPU memory and fleet',
  interval: '5m',
  rules: [
    {
      id: 'gpu-ecc',
      title: 'ECC error',
      severity: 'critical',
      query: now(`${inService(NEW_ECC)} unless on (${GPU_LABELS}) ${NEW_XID}`),
      summary:
        'Fires for an hour when GPU memory had an error that cannot be corrected and for which there is no XID error, on a node that is in service.',
      description: `The memory of ${GPU} had a double-bit ECC error within the past hour, which is not corrected.`,
      action:
        'Restart the job from its last checkpoint on another node; drain this node, reset the GPU and report it to the platform.',
      link: THE_GPU,
    },
    {
      id: 'gpu-remap',
      title: 'GPU memory wears out',
      severity: 'warning',
      query: now(
        inService(`
          ${highest(GPU_LABELS, anywhere('DCGM_FI_DEV_ROW_REMAP_FAILURE'))} > 0
          or ${NEW_CORRECTED}
          or (${NEW_ROW} unless on (${GPU_LABELS}) (${NEW_ECC}) unless on (${GPU_LABELS}) ${NEW_XID})`)
      ),
      // Memory that wears out loses a row every few hours.
      keepFiringFor: '12h',
      summary:
        'Fires when a faulty row of GPU memory cannot be replaced, one was replaced within an hour without an XID or ECC error, or many errors are corrected, on a node that is in service.',
      description: `A faulty row in the memory of ${GPU} was replaced within half a day, or cannot be, or many errors were corrected (XID 92).`,
      action:
        'Drain the node at the end of its job and reset the GPU; report it if the dashboard has “Remapping failed”.',
      link: THE_GPU,
    },
    {
      id: 'gpus-fewer',
      title: 'Fewer GPUs than normal',
      severity: 'warning',
      query: now(LEFT),
      second: now(`(${USUAL}) and on (cluster_id) ${TWO_OF_NODE}`),
      conditions: [
        // A node has 8, and is reported by itself.
        math('C', '$A < 0.9 * $B && $B - $A > 8'),
      ],
      pending: '10m',
      summary:
        'Fires when a cluster has less than 90 % of the least of GPUs of a model that it had a day, 18 and 12 hours ago, and more than eight fewer. Drained nodes do not count.',
      description: `{{ with $labels.cluster_id }}Cluster {{ . }}{{ else }}The fleet{{ end }} has ${fixed('A', 0)} of the ${fixed('B', 0)} {{ $labels.modelName }} that it had at least in the past day.`,
      action: 'Look which nodes are gone, and whether somebody gave them back.',
      link: {
        board: 'overview',
        panel: 'GPUs, by what they do at the end of the range',
        variables: { cluster: '$labels.cluster_id' },
        hours: 24,
      },
    },
  ],
};
