import { LOSS, THRESHOLDS } from '../../lib/causes.ts';
import { NOT_OF_EXPORTER } from '../../lib/allocation.ts';
import { heldIdle, FLEET, MOST_RESERVED, slowly } from '../../lib/causePromql.ts';
import { ofBoard } from '../../lib/gpuPower.ts';
import { named } from '../../lib/host.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { now } from '../expressions.ts';
import { ALL_NODES, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE, OF_CLUSTER, oneOrMany } from '../texts.ts';

/** Whatever the interval of scrapes is: what ended a few minutes ago makes no difference to what has to last for thirty. */
const ALL = slowly(FLEET);

/** What waits for requests or for a person by nature, as whole words: change it to the names that you give. */
const SERVICES = [
  'serve',
  'serving',
  'model-?servers?',
  'infer',
  'inference',
  'vllm',
  'sglang',
  'triton(server)?',
  'tgi',
  'nim',
  'ollama',
  'predictor',
  'notebooks?',
  'jupyter(hub|lab)?',
  'code-server',
  'interactive',
];

/**
 * Names with such words. Before and after is what names have but letters: a class of all other characters takes Prometheus some
 * milliseconds to parse, in each of these matchers.
 */
const NAMED_SO = `(?i)(.*[!-@_])?(${SERVICES.join('|')})([!-@_].*)?`;

/** The labels with such names. `pod` and `namespace` may be the exporter's own: then the GPU's are beside them, or none is. */
const NAMED_BY: Array<[label: string, matchers: string[]]> = [
  ['nodepool_name', []],
  ['exported_namespace', []],
  ['exported_pod', []],
  ['namespace', NOT_OF_EXPORTER],
  ['pod', NOT_OF_EXPORTER],
];

/** GPUs of which a label says that they serve or are a notebook's. */
const SERVING = NAMED_BY.map(([label, matchers]) =>
  named(`last_over_time(${anywhere(ALL.labels, `${label}=~"${NAMED_SO}"`, ...matchers)}[${ALL.window}])`)
).join(' or ');

const GPU = `${ALL.node}, gpu`;

/** Of each GPU, the most or least of its series. With MIG there is no utilization: who has an instance may leave it idle for days. */
const utilization = (window: string, ago = '', of = 'max'): string =>
  `${of} by (${GPU}) (${named(over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_UTIL'), window, ago))})`;
const memory = (fn: string, window: string, ago = ''): string =>
  `min by (${GPU}) (${named(over(fn, anywhere('DCGM_FI_DEV_FB_USED'), window, ago))})`;

/** Held and idle for longer than a night: until the next morning a session may be left open. */
const LEFT_BEHIND = `(
  ${utilization('16h')} < 1 and ${memory('min_over_time', '16h')} > ${MOST_RESERVED}
  and ${memory('last_over_time', '15m', ' offset 16h')} > ${MOST_RESERVED}
)`;

/**
 * All GPUs of a node that computed for hours and stopped at once, while the process holds their memory: a job that hangs. Another process, such as
 * of the session that begins after the job, takes its memory when it starts.
 */
const STOPPED = `(
  ${utilization('3h', ' offset 30m')} > ${THRESHOLDS.mostly} and ${memory('min_over_time', '3h30m')} > ${MOST_RESERVED}
  and ${memory('min_over_time', '3h30m')} > 0.8 * ${memory('avg_over_time', '3h30m')}
  unless on (${ALL.node}) (${utilization('15m')} > ${THRESHOLDS.running} or ${utilization('3h', ' offset 30m')} <= ${THRESHOLDS.mostly})
)`;

/** GPUs on which kernels run, or whose memory was free, as before another process. */
const WENT_ON = `(${utilization('15m')} > ${THRESHOLDS.running} or ${memory('min_over_time', '15m')} <= ${MOST_RESERVED})`;

/** When something last was so, of the quarter hours until {@link LEFT_BEHIND} finds it. */
const lastly = (expr: string): string => `max_over_time((time() + 0 * ${expr})[17h:15m])`;

/** Those that stopped, and have not gone on since. */
const HANGS = `${lastly(STOPPED)} >= ${lastly(WENT_ON)}`;

const POWER = 'DCGM_FI_DEV_POWER_USAGE';

/** GPUs that were idle for most of half an hour, some hours ago at most: what runs on them does not spin while it waits for requests. */
const IDLED = ['1h', '2h', '4h']
  .map((ago) => `${utilization('30m', ` offset ${ago}`)} < ${THRESHOLDS.mostly}`)
  .join(' or ');

const CLOCK = 'DCGM_FI_DEV_SM_CLOCK';
const CLOCKS = `max by (${GPU}, modelName) (${named(over('avg_over_time', anywhere(CLOCK), '30m'))})`;

/** GPUs at half of the clock of their model: the hardware slows them down, so that they draw little at work. */
const HALVED = `${CLOCKS} / on (cluster_id, modelName) group_left () quantile by (cluster_id, modelName) (${LOSS.fastest}, ${CLOCKS} > ${LOSS.idleClock}) < ${1 - LOSS.byHardware / 100}`;

/** Power of each GPU, and the share of cycles in which its tensor cores were active, over time. */
const power = (fn: string, window: string, by = GPU): string =>
  `max by (${by}) (${named(over(fn, anywhere(POWER), window))})`;
const tensor = (fn: string, window: string): string =>
  `max by (${GPU}) (${named(over(fn, anywhere('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'), window))})`;

/** GPUs of which kernels draw less power than computing does, and use no tensor cores, if that is known. */
const AT_LITTLE_POWER = `(
  ${ofBoard(power('avg_over_time', '30m', `${GPU}, modelName`), (matcher) => over('last_over_time', anywhere(POWER, matcher), ALL.window))} < 1
  unless on (${GPU}) ${tensor('avg_over_time', '30m')} > 0.01
)`;

/**
 * Those of a process that used tensor cores and for half an hour does not at all, at less than half of the power that it drew: a collective needs none.
 * What computes without them draws more, and decoding uses some. Another process would have taken memory since.
 */
const WITHOUT_TENSOR_CORES = ['90m', '4h']
  .map(
    (within) =>
      `${power('avg_over_time', '30m')} < 0.5 * ${power('max_over_time', within)} and ${tensor('max_over_time', '30m')} < 0.001 and ${tensor('avg_over_time', within)} > 0.01 and ${memory('min_over_time', within)} > ${MOST_RESERVED}`
  )
  .join(' or ');

/**
 * A collective that waits for a GPU or a node that is lost spins: kernels run all the time, and compute nothing,
 * on several GPUs of a node, because one alone waits for nobody. A series that ended with its pod has only the minutes before, which may be
 * those in which the others waited for a GPU that was lost: the GPU itself has another since.
 */
const SPINNING = `(
  ${utilization('30m', '', 'min')} > 95
  and on (${GPU}) (${AT_LITTLE_POWER} or ${WITHOUT_TENSOR_CORES})
  unless on (${GPU}) (${HALVED})
  unless on (${GPU}) ((${SERVING}) unless on (${GPU}) (${IDLED}))
)`;

/** What GPU time goes into: the causes of the dashboard GPU time, for half an hour and more. */
export const gpuTime: RuleGroup = {
  name: 'GPU time',
  interval: '5m',
  rules: [
    {
      id: 'gpu-spin',
      title: 'GPUs spin without computing',
      severity: 'critical',
      // One alert for the nodes of a job, which GPU metrics don't name.
      query: now(`sum by (cluster_id) (count by (${ALL.node}) (${SPINNING}) >= 4)`),
      pending: '5m',
      keepFiringFor: '15m',
      summary:
        'Fires when four GPUs of a node or more run kernels for 30 minutes that draw less power than computing does, or half of that of before without the tensor cores that the process had used; not for model servers and notebooks, by their names, that do so while they are idle.',
      description: `Kernels run all the time on ${fixed('A', 0)} GPUs${OF_CLUSTER}, and draw less power than computing does, or use no tensor cores any more.`,
      action:
        'Look at the stacks of the job on the nodes that lose most: a collective waits for a GPU or a node that is lost. Restart it from its last checkpoint.',
      link: {
        board: 'gpu-time',
        panel: 'Nodes that lose GPU time, broken ones first',
        variables: { cluster: '$labels.cluster_id' },
      },
    },
    {
      id: 'gpu-held-idle',
      title: 'GPU held idle',
      severity: 'warning',
      query: now(`
          topk(100,
            count by (${ALL.node}) (
              ((${heldIdle(ALL)}) unless on (${GPU}) (${SERVING})) and on (${GPU}) (${LEFT_BEHIND} or ${HANGS})
            )
          )`),
      pending: '15m',
      summary:
        'Fires when all GPUs of a node that computed for hours do nothing for 30 minutes, or any for 16 hours, while a process holds their memory; not for model servers and notebooks, by their names.',
      description: `${counted('A', 'GPU')} of ${NODE} ${oneOrMany('A', 'is', 'are')} held idle: a process holds memory, while kernels run for no more than ${THRESHOLDS.running} % of the time; for 16 hours, or since the node stopped computing.`,
      action: oneOrMany(
        'A',
        'Look for the process on this GPU: it died, or a notebook was left open. End it.',
        'Look at the log and the stacks of the job: it hangs, or waits for data. Restart it from its last checkpoint if it hangs.'
      ),
      link: { board: 'node', panel: 'Utilization, means', variables: ON_NODE, states: ALL_NODES },
    },
  ],
};
