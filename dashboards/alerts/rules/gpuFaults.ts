import { MOST_RESERVED } from '../../lib/causePromql.ts';
import { GPU_LABELS, HOST_LABEL, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, eachName, over, withLabel } from '../../lib/promql.ts';
import { anyVendor } from '../../lib/quantities.ts';
import { ofHardware, UNKNOWN_XID, XID_CODES, type XidCode } from '../../lib/xid.ts';
import { inService, TWO_OF_NODE } from '../drained.ts';
import { highest, seen } from '../past.ts';
import { type AlertRule, type RuleGroup } from '../rule.ts';
import { choose, counted, fixed, GPU, NODE, oneOrMany, valueOf } from '../texts.ts';

/** A row of memory that was replaced, and a high rate of errors that are corrected: jobs go on, and it is the memory that wears out. */
const WEARS_OUT = [63, 92];

const XID = anywhere('DCGM_FI_DEV_XID_ERRORS');

/** The newest code of GPUs whose code changed within the hour. Comparing extremes works alike in all engines; `changes` does not. */
const changedTo = (codes: (newest: string) => string): string => {
  const changed = (one: string) => `${codes(one)} and max_over_time(${one}[1h]) != min_over_time(${one}[1h])`;
  return `max by (${GPU_LABELS}) (${named(eachName(XID, changed))})`;
};

/** Codes after which the GPU is well wake nobody: the job's own log has them. Nor do those with which jobs go on. */
const urgent = (codes: string): string => ofHardware(codes, ...WEARS_OUT);

/** The highest code of the hour, because that of a job that it ends may follow. */
const OF_THE_HOUR = `max by (${GPU_LABELS}) (${named(urgent(over('max_over_time', XID, '1h')))})`;

/**
 * GPUs with a new code: the newest, or one of the hour that they did not have an hour ago, or else a day ago, where scrapes were missed. The new
 * series of an exporter that restarts has no change.
 */
const NEW_XID = `(
    ${changedTo(urgent)}
    or ${OF_THE_HOUR} unless ${OF_THE_HOUR} == (${highest(GPU_LABELS, XID, '1h')} or ${highest(GPU_LABELS, XID, '1d')})
  )`;

/** GPUs with such a code in the hour in which it changed, whatever followed. */
const BESIDE_XID = changedTo((newest) => urgent(`max_over_time(${newest}[1h])`));

/** A text for each XID code. */
const ofXid = (text: (code: XidCode) => string, otherwise: string): string =>
  choose(
    valueOf(),
    XID_CODES.map((xid) => [xid.code, text(xid)]),
    otherwise
  );

/**
 * For how long a node has to be drained that nobody is notified of a missing GPU: since before its last sample, which was a quarter of an hour ago
 * when an alert begins, because a check of the scheduler may drain it for that.
 */
const BEFORE_GONE = '20m';

/** Those whose counter is higher than it was. */
const higher = (by: string, metric: string): string =>
  `${highest(by, anywhere(metric))} > ${highest(by, anywhere(metric), '1h', '2h')}`;

/** A GPU keeps its replaced rows for life, so those of one that took the place of another are compared with its own. */
const NEW_ROW = `max by (${GPU_LABELS}) (${['UNCORRECTABLE', 'CORRECTABLE']
  .map((kind) => higher(`${GPU_LABELS}, UUID`, `DCGM_FI_DEV_${kind}_REMAPPED_ROWS`))
  .join(' or ')})`;

const REPORTED = anywhere('DCGM_FI_DEV_FB_USED');

/** GPUs with samples, with MIG as well. */
const REPORTING = named(over('last_over_time', REPORTED, '10m'));

/** GPUs that had some. A moment is a few times as long ago as the next, so that what was there for a while is missed for as long. */
const GONE = `${seen(GPU_LABELS, REPORTED, '30m', '4h', '1d')} unless on (${GPU_LABELS}) ${REPORTING}`;

/** Those of nodes: a GPU that still reports is on one that was renamed, as where an exporter gives its own name, which a restart changes. */
const GONE_WITH_NODE = `group by (${GPU_LABELS}) (
    ${seen(`${GPU_LABELS}, UUID`, REPORTED, '30m', '1h', '2h')}
    unless on (cluster_id, UUID) ${over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED', 'UUID!=""'), '10m')}
  )`;

/** Nodes that their provider takes back at any time, as names of pools and nodes say: what runs there is made for it. */
const SPOT = '(?i)(.*[!-@_])?(spot|preemptible)s?([!-@_].*)?';

/** Memory of whole GPUs: who has an instance with MIG may hold its memory for days. */
const MEMORY = anywhere(
  'DCGM_FI_DEV_FB_USED',
  'GPU_I_ID=""',
  ...['nodepool_name', HOST_LABEL, 'Hostname'].map((label) => `${label}!~"${SPOT}"`)
);
const LEAST_USED = `min by (${GPU_LABELS}) (${named(over('min_over_time', MEMORY, '5m'))})`;

/**
 * Nodes that went while the memory of a GPU was in use: from one that was emptied before, by an autoscaler or for maintenance, nobody has
 * lost anything. By the least of five minutes, because the labels of a pod go with it, and its series has the last sample for as long.
 */
const WENT_IN_USE = `last_over_time((${LEAST_USED})[2h15m:5m]) > ${MOST_RESERVED}`;

/** Nodes whose machine has not gone with them, by its monitoring agent or kubelet: what stopped is the driver or the exporter of its GPUs. */
const RUNS_ON = named(`(${over('last_over_time', anyVendor('vm_memory_total_bytes'), '10m')}
    or last_over_time(kube_node_status_condition{condition="Ready",status="true"}[10m]) == 1)`);

/** GPUs with an error, whose nodes somebody restarts. */
const FAULTY = named(urgent(over('last_over_time', XID, '3h')));

/** Nodes none of whose GPUs report, and how many they had. */
const SILENT = `count by (${NODE_LABELS}) (${inService(GONE_WITH_NODE, '2h15m')})
      unless on (${NODE_LABELS}) ${REPORTING}
      and on (cluster_id) ${TWO_OF_NODE}
      unless on (${NODE_LABELS}) ${FAULTY}`;
const NONE_REPORTS = `None of the ${counted('GPU')} of ${NODE} has samples for more than 10 minutes`;

/** The least GPUs that a cluster had at some moments of a day, of nodes that nobody drained since: an autoscaler gives nodes back at night. */
const USUAL = `min by (cluster_id) (count by (cluster_id, ago) (${inService(
  ['12h', '18h', '1d'].map((ago) => withLabel(seen(GPU_LABELS, REPORTED, ago), 'ago', ago)).join(' or '),
  '1d'
)}))`;

/** What happens to GPUs, rather than how fast they are, and stops work at once. */
export const faults: AlertRule[] = [
  {
    id: 'gpu-xid',
    title: 'XID error',
    severity: 'critical',
    // The number is the code: one that follows, such as that of a job that ends, is no other alert.
    query: NEW_XID,
    description: `${GPU} reports XID ${fixed(0)}: ${ofXid(({ meaning, origin }) => `${meaning}. Usual origin: ${origin}`, UNKNOWN_XID.meaning)}.`,
    action: ofXid(({ action }) => action, UNKNOWN_XID.action),
    link: { board: 'node', panel: 'GPUs' },
  },
  {
    id: 'gpu-missing',
    title: 'GPUs stopped reporting',
    severity: 'critical',
    query: `topk(100, count by (${NODE_LABELS}) (${inService(GONE, '10m', BEFORE_GONE)} and on (${NODE_LABELS}) ${REPORTING}))`,
    pending: '5m',
    keepFiringFor: '1h',
    description: `${counted('GPU')} of ${NODE} ${oneOrMany('has', 'have')} no samples for more than 10 minutes, while others of the node do.`,
    action: 'Look for XID 79 with dmesg: the GPU has fallen off the bus. Drain the node and restart it.',
    link: { board: 'node', panel: 'GPUs' },
  },
  {
    id: 'node-missing',
    title: 'Node stopped reporting',
    severity: 'critical',
    query: `topk(100, ${SILENT} and on (${NODE_LABELS}) ${WENT_IN_USE} unless on (${NODE_LABELS}) ${RUNS_ON})`,
    pending: '5m',
    description: `${NONE_REPORTS}, and memory of one was in use to the end.`,
    action: 'Look whether the machine runs, then whether the exporter does. Restart its jobs on another node.',
    link: { board: 'node', panel: 'GPUs' },
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
      query: `${inService(higher(GPU_LABELS, 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL'))} unless on (${GPU_LABELS}) ${BESIDE_XID}`,
      description: `The memory of ${GPU} had a double-bit ECC error within the past hour, which is not corrected.`,
      action:
        'Restart the job from its last checkpoint on another node; drain this node, reset the GPU and report it to the platform.',
      link: { board: 'node', panel: 'GPUs' },
    },
    {
      id: 'gpu-remap',
      title: 'GPU memory wears out',
      severity: 'warning',
      query: inService(`
          ${highest(GPU_LABELS, anywhere('DCGM_FI_DEV_ROW_REMAP_FAILURE'))} > 0
          or ${NEW_ROW}
          or ${changedTo((newest) => `(${WEARS_OUT.map((code) => `${newest} == ${code}`).join(' or ')})`)}`),
      // Memory that wears out loses a row every few hours.
      keepFiringFor: '12h',
      description: `A faulty row in the memory of ${GPU} was replaced within half a day, or cannot be, or many errors were corrected (XID 92).`,
      action:
        'Drain the node at the end of its job and reset the GPU; report it if the dashboard has “Remapping failed”.',
      link: { board: 'node', panel: 'GPUs' },
    },
    {
      id: 'gpu-exporter-missing',
      title: 'GPU exporter stopped',
      severity: 'warning',
      query: `topk(100, ${SILENT} and on (${NODE_LABELS}) ${RUNS_ON})`,
      pending: '5m',
      description: `${NONE_REPORTS}, while the machine runs on. Its jobs may go on.`,
      action: 'Look on the node whether nvidia-smi lists the GPUs: then restart the exporter, else its driver.',
      link: { board: 'node', panel: 'GPUs' },
    },
    {
      id: 'gpus-fewer',
      title: 'Fewer GPUs than normal',
      severity: 'warning',
      query: `count by (cluster_id) (group by (${GPU_LABELS}) (${REPORTING}))`,
      second: USUAL,
      // A node has 8, and is reported by itself.
      formula: '$A < 0.9 * $B && $B - $A > 8',
      pending: '10m',
      description: `{{ with $labels.cluster_id }}Cluster {{ . }}{{ else }}The fleet{{ end }} has ${fixed(0)} of the ${fixed(0, 'B')} GPUs that it had at least in the past day.`,
      action: 'Look which nodes are gone, and whether somebody gave them back.',
      link: { board: 'overview', panel: 'GPUs, by what they do at the end of the range', hours: 24 },
    },
  ],
};
