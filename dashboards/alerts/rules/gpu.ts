import { APPLICATION_CODES } from '../../../src/catalog/gpuTime.ts';
import { type Scope } from '../../../src/catalog/quantities.ts';
import { HOST_LABEL, named } from '../../lib/host.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { atEnd, EVERYTHING } from '../../lib/quantities.ts';
import {
  comparable,
  fleetOf,
  slow,
  slowedByHeat,
  slowNodes,
  STRAGGLER_CAUSES,
  waiting,
  type StragglerCause,
} from '../../lib/stragglers.ts';
import { UNKNOWN_XID, XID_CODES, type XidCode } from '../../lib/xid.ts';
import { now, threshold } from '../expressions.ts';
import { ALL_FAULTS, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { choose, counted, fixed, NODE as NODE_TEXT, oneOrMany } from '../texts.ts';

// A rule keeps a state for each label set that its query returns. `topk` and filters keep that few on thousands of GPUs.
const NODE = `cluster_id, ${HOST_LABEL}`;
const GPU = `${NODE}, gpu`;

const GPU_TEXT = `GPU {{ $labels.gpu }} of ${NODE_TEXT}`;

/** Variables of dashboards of whole clusters. */
const IN_CLUSTER = { cluster: '$labels.cluster_id' };

const TEMPERATURE = named(over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_TEMP'), '5m'));
const MEMORY_TEMPERATURE = named(over('avg_over_time', anywhere('DCGM_FI_DEV_MEMORY_TEMP'), '5m'));

/** Codes after which the GPU is well wake nobody: the job's own log has them. */
const NOT_OF_APPLICATIONS = APPLICATION_CODES.map((code) => `!= ${code}`).join(' ');

/** Nodes that somebody has taken out of service, by what schedulers say. */
const DRAINED = `label_replace(slurm_node_info{state_is_drain="true"}, "${HOST_LABEL}", "$1", "node_name", "(.+)") or label_replace(kube_node_spec_unschedulable == 1, "${HOST_LABEL}", "$1", "node", "(.+)")`;

const XID = anywhere('DCGM_FI_DEV_XID_ERRORS');

/** The code of an hour ago, or the last one before it where samples are missing. */
const XID_BEFORE = ['1h', '2h', '1d'].map((ago) => `max by (${GPU}) (${named(`${XID} offset ${ago}`)})`).join(' or ');

/** The code did not change within the hour. Comparing extremes works alike in all engines; `changes` does not. */
const XID_CONSTANT = `max by (${GPU}) (${named(over('max_over_time', XID, '1h'))}) == min by (${GPU}) (${named(over('min_over_time', XID, '1h'))})`;

const FLEET = fleetOf(anywhere, NODE);

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

/** GPUs that had samples in a time, with MIG as well. */
const gpusOf = (window: string): string =>
  `group by (${GPU}) (${EVERYTHING.over('last_over_time', 'DCGM_FI_DEV_FB_USED', window)})`;

const POOL_OF_MODEL = 'cluster_id, modelName';

const AN_HOUR_AGO: Scope = {
  ...EVERYTHING,
  over: (fn, metric, window) => named(over(fn, anywhere(metric), window, ' offset 1h')),
};

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
            count by (${NODE}) (
              (max by (${GPU}) (${TEMPERATURE}) > 83 or max by (${GPU}) (${MEMORY_TEMPERATURE}) > 95)
              unless (${slowedByHeat(FLEET)} and on (${NODE}) ${comparable(FLEET)})
            )
          )`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '5m',
      keepFiringFor: '1h',
      noData: { state: 'OK', because: 'no GPU is hot' },
      summary:
        'Fires when a GPU is above 83 °C, or its memory above 95 °C, on average over 5 minutes, and is not reported as slower than its peers.',
      description: `${counted('A', 'GPU')} of ${NODE_TEXT} ${oneOrMany('A', 'is', 'are')} above 83 °C, or 95 °C in memory, on average over 5 minutes.`,
      action: oneOrMany(
        'A',
        'Move the job to another node before the GPU throttles, and report the GPU: the others of its node are cool.',
        'Move the job to another node before the GPUs throttle, and report the cooling of the node.'
      ),
      link: { board: 'node', panel: 'Power and heat', variables: ON_NODE, states: ALL_FAULTS },
    },
    {
      id: 'gpu-xid',
      title: 'XID error',
      severity: 'critical',
      query: now(`
          count_values by (${GPU}) ("xid",
            (max by (${GPU}) (${named(XID)}) > 0 ${NOT_OF_APPLICATIONS})
            unless (
              max by (${GPU}) (${named(XID)}) == (${XID_BEFORE})
              and ${XID_CONSTANT}
            )
          )`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no GPU reports a new error' },
      summary: 'Fires for an hour when the driver reports a new XID error of a GPU that no application causes.',
      description: `${GPU_TEXT} reports XID {{ $labels.xid }}: ${ofXid(({ meaning, origin }) => `${meaning}. Usual origin: ${origin}`, UNKNOWN_XID.meaning)}.`,
      action: ofXid(({ action }) => action, UNKNOWN_XID.action),
      link: { board: 'stragglers', panel: 'XID errors at the end of the range', variables: IN_CLUSTER },
    },
    {
      id: 'gpu-ecc',
      title: 'ECC error',
      severity: 'critical',
      query: now(`max by (${GPU}) (${named('increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h])')}) > 0`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no GPU had such an error' },
      summary: 'Fires for an hour when GPU memory had an error that cannot be corrected.',
      description: `The memory of ${GPU_TEXT} had a double-bit ECC error within the past hour, which is not corrected.`,
      action:
        'Restart the job from its last checkpoint on another node; drain this node, reset the GPU and report it to the platform.',
      link: { board: 'stragglers', panel: 'Faulty GPU memory', variables: IN_CLUSTER },
    },
    {
      id: 'gpu-remap',
      title: 'GPU memory wears out',
      severity: 'warning',
      query: now(`
          (
            max by (${GPU}) (${named(anywhere('DCGM_FI_DEV_ROW_REMAP_FAILURE'))}) > 0
            or max by (${GPU}) (${named(over('delta', anywhere('DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS'), '1d'))}) > 0.5
          ) unless on (${HOST_LABEL}) (${DRAINED})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '5m',
      keepFiringFor: '1h',
      noData: { state: 'OK', because: 'no row of memory was replaced, or its node is drained' },
      summary:
        'Fires when a faulty row of GPU memory cannot be replaced, or one was replaced within a day, on a node that is in service.',
      description: `A faulty row in the memory of ${GPU_TEXT} was replaced within the past day, or cannot be.`,
      action:
        'Drain the node at the end of its job and reset the GPU; report it if the dashboard has “Remapping failed”.',
      link: { board: 'stragglers', panel: 'Faulty GPU memory', variables: IN_CLUSTER },
    },
    {
      id: 'gpu-missing',
      title: 'GPUs stopped reporting',
      severity: 'critical',
      query: now(`
          topk(100,
            count by (${NODE}) (${gpusOf('1d')} unless ${gpusOf('10m')} and on (${NODE}) ${gpusOf('10m')})
            or count by (${NODE}) (${gpusOf('2h')} unless ${gpusOf('10m')})
          )`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '5m',
      noData: { state: 'OK', because: 'every GPU of the past day reports, or its node was given back hours ago' },
      summary:
        'Fires when GPUs of a node have no samples: for a day while others of it have some, for two hours if none has.',
      description: `${counted('A', 'GPU')} of ${NODE_TEXT} ${oneOrMany('A', 'has', 'have')} no samples for more than 10 minutes.`,
      action:
        'Look whether the node runs. If its other GPUs report, this one has fallen off the bus (dmesg has XID 79): drain the node and restart it.',
      link: { board: 'node', panel: 'GPUs', variables: ON_NODE, states: ALL_FAULTS },
    },
    {
      id: 'gpus-fewer',
      title: 'Fewer GPUs than normal',
      severity: 'warning',
      query: now(`100 * ${atEnd('gpus', EVERYTHING, POOL_OF_MODEL)} / ${atEnd('gpus', AN_HOUR_AGO, POOL_OF_MODEL)}`),
      conditions: [threshold('A', 'lt', 90)],
      pending: '10m',
      noData: { state: 'OK', because: 'there are no GPUs, which the rule on metric families reports' },
      summary: 'Fires when a cluster has less than 90 % of the GPUs of a model that it had an hour ago.',
      description: `Cluster {{ $labels.cluster_id }} has ${fixed('A', 0)} % of the {{ $labels.modelName }} that it had an hour ago.`,
      action: 'Look which nodes are gone, and whether somebody gave them back.',
      link: { board: 'overview', panel: 'Twenty idlest nodes', variables: IN_CLUSTER },
    },
    {
      id: 'gpus-throttled',
      title: 'Many GPUs slowed by heat',
      severity: 'warning',
      query: now(`100 * count by (cluster_id) (${slowedByHeat(FLEET)}) / ${atEnd('gpus', EVERYTHING, 'cluster_id')}`),
      conditions: [threshold('A', 'gt', 5)],
      pending: '15m',
      keepFiringFor: '1h',
      noData: { state: 'OK', because: 'heat slows no GPU down' },
      summary: 'Fires when heat slows down more than 5 % of the GPUs of a cluster.',
      description: `Heat slows down ${fixed('A', 0)} % of the GPUs of cluster {{ $labels.cluster_id }}.`,
      action: 'Report it to the platform: so many at once are the cooling of the room, not of a machine.',
      link: { board: 'stragglers', panel: 'GPUs that heat slows down', variables: IN_CLUSTER },
    },
    {
      id: 'gpu-straggler',
      title: 'GPU slower than its peers',
      severity: 'warning',
      query: now(`100 * topk(100, ${slow(FLEET)})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '10m',
      keepFiringFor: '1h',
      noData: { state: 'OK', because: 'no GPU under load is slower than its peers' },
      summary: 'Fires when a GPU under load runs at a clearly lower clock than the others of its node.',
      description: `The clock of ${GPU_TEXT} is ${fixed('A', 1)} % below the median of its node under load (over 24 minutes). Why: ${ofCause(({ reason }) => reason)}. Work that is shared in step is as slow as this GPU.`,
      action: ofCause(({ action }) => action),
      link: {
        board: 'stragglers',
        panel: 'GPUs slower than their peers, by clock and heat',
        variables: IN_CLUSTER,
      },
    },
    {
      id: 'gpu-pcie',
      title: 'GPU held back by its PCIe link',
      severity: 'warning',
      query: now(`100 * topk(100, ${waiting(FLEET)})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '10m',
      keepFiringFor: '1h',
      noData: { state: 'OK', because: 'no GPU repeats PCIe transfers and is idle meanwhile' },
      summary: 'Fires when a GPU repeats PCIe transfers and is idle while the others of its node are not.',
      description: `${GPU_TEXT} runs kernels for ${fixed('A', 1)} % less of the time than the median of its node, and repeats PCIe transfers: ${STRAGGLER_CAUSES.PCIe.reason}. Work that is shared in step is as slow as this GPU.`,
      action: STRAGGLER_CAUSES.PCIe.action,
      link: {
        board: 'stragglers',
        panel: 'GPUs slower than their peers, by clock and heat',
        variables: IN_CLUSTER,
      },
    },
    {
      id: 'node-straggler',
      title: 'Node slower than its node pool',
      severity: 'warning',
      query: now(`100 * topk(100, ${slowNodes(FLEET)})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '15m',
      keepFiringFor: '1h',
      noData: { state: 'OK', because: 'no node under load is slower than its node pool' },
      summary:
        'Fires when heat or a power limit holds the GPUs of a node at a clearly lower clock than those of its node pool.',
      description: `The median clock of the GPUs of ${NODE_TEXT} is ${fixed('A', 1)} % below that of the nodes under load of its pool. If they share a job, it is as slow as this node.`,
      action:
        'Compare temperature and throttling of its GPUs with those of another node: heat in all of them is the cooling of the machine. Move the job and report the node.',
      link: {
        board: 'stragglers',
        panel: 'Nodes slower than their node pool, by heat and power limit',
        variables: IN_CLUSTER,
      },
    },
  ],
};
