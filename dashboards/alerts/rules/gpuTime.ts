import { ofScheduler, owned, POD } from '../../lib/allocation.ts';
import { FLEET, MOST_RESERVED } from '../../lib/causePromql.ts';
import { THRESHOLDS } from '../../lib/causes.ts';
import { computesAtOf } from '../../lib/gpuBoards.ts';
import { GPU_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, compact, copied, over } from '../../lib/promql.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE, OF_CLUSTER, oneOrMany } from '../texts.ts';

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
 * GPUs whose pool, namespace, pod or container has such a word in its name, those of the exporter among them. What is before and after a word
 * is what names have but letters, the semicolon between them included. Where one matches, no label is left, as `vector(1)` has none.
 */
const LABELS_WITH_NAMES = [
  'nodepool_name',
  ...['namespace', 'pod', 'container'].flatMap((name) => [`exported_${name}`, name]),
];
const IS_SERVICE = `(?i)(.*[!-@_])?(${SERVICES.join('|')})([!-@_].*)?`;
const SERVING = named(
  `(label_replace(label_join(last_over_time(${anywhere('DCGM_FI_DEV_FB_USED')}[15m]), "i", ";", ${LABELS_WITH_NAMES.map((label) => `"${label}"`)}), "i", "", "i", "${IS_SERVICE}") and on (i) vector(1))`
);

/** With MIG there is no utilization: who has an instance may leave it idle for days. */
const UTIL = anywhere('DCGM_FI_DEV_GPU_UTIL');
const utilization = (window: string, ago = ''): string => over('avg_over_time', UTIL, window, ago);
const memory = (fn: string, window: string, ago = ''): string => over(fn, anywhere('DCGM_FI_DEV_FB_USED'), window, ago);

/** Held and idle for longer than a night: until the next morning a session may be left open. */
const LEFT_BEHIND = `(
  max by (${GPU_LABELS}) (${named(utilization('16h'))}) < 1
  and on (${GPU_LABELS}) ${named(`(${memory('last_over_time', '15m', ' offset 16h')} > ${MOST_RESERVED})`)}
  unless on (${GPU_LABELS}) ${named(`(${memory('min_over_time', '16h')} <= ${MOST_RESERVED})`)}
)`;

/**
 * GPUs of nodes that computed on all of theirs for hours and stopped at once, while the process holds the memory: a job that hangs. Another process,
 * such as of the session that begins after the job, takes its memory when it starts.
 */
const STOPPED = `(
  min by (${GPU_LABELS}) (${named(memory('min_over_time', '3h30m'))}) > ${MOST_RESERVED}
  unless on (${GPU_LABELS}) ${named(`(${memory('min_over_time', '3h30m')} < 0.8 * ${memory('avg_over_time', '3h30m')})`)}
  unless on (${NODE_LABELS}) ${named(`(${utilization('15m')} > ${THRESHOLDS.running} or ${utilization('3h', ' offset 30m')} <= ${THRESHOLDS.mostly})`)}
)`;

/** GPUs on which kernels run, or whose memory was free. */
const WENT_ON = `group by (${GPU_LABELS}) (${named(`(${utilization('15m')} > ${THRESHOLDS.running} or ${memory('min_over_time', '15m')} <= ${MOST_RESERVED})`)})`;

/** When something last was so, of the quarter hours until {@link LEFT_BEHIND} finds it. */
const lastly = (expr: string): string => `max_over_time((time() + 0 * ${expr})[17h:15m])`;

/** Those that stopped, and have not gone on since. */
const HANGS = `${lastly(STOPPED)} >= ${lastly(WENT_ON)} and max by (${GPU_LABELS}) (${named(utilization('15m'))}) <= ${THRESHOLDS.running}`;

/** What a missed scrape does not end. */
const LATELY = { ...FLEET, labels: 'DCGM_FI_DEV_FB_USED', recent: '5m', reported: '5m' };

/** Nodes of Slurm by an exporter that has no label for the cluster. */
const WORKERS = copied(`last_over_time(${anywhere('slurm_node_info', 'cluster_id=""')}[6h])`, POD, 'node_name');

/** GPUs of a pod or a job that none of its processes has, of several on a node: a single one may be that of a session. */
const UNUSED = `max by (${NODE_LABELS}) (
  count by (${NODE_LABELS}, ${POD}, hpc_job) (
    group by (${GPU_LABELS}, ${POD}, hpc_job) (
      (${owned(LATELY)} or ${named(over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED'), LATELY.recent))} and on (${NODE_LABELS}) ${ofScheduler(LATELY, { held: 1 })})
      unless on (${GPU_LABELS}) ${named(`(${memory('max_over_time', '15m')} > ${MOST_RESERVED})`)}
      unless on (${GPU_LABELS}) ${SERVING}
      unless on (${POD}) ${WORKERS}
    )
  ) >= 4
)`;

const POWER = anywhere('DCGM_FI_DEV_POWER_USAGE');
const TENSOR = anywhere('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE');
const COPYING = anywhere('DCGM_FI_DEV_MEM_COPY_UTIL');

/** What a board computes from, by the highest power of its model in a day. */
const COMPUTES_AT = `(${computesAtOf(`max_over_time((max by (modelName) (${over('last_over_time', POWER, '15m')}))[1d:7m])`)})`;

/** GPUs of which kernels draw less power than computing does, and use neither tensor cores nor the memory, if that is known. */
const AT_LITTLE_POWER = `(
  max by (${GPU_LABELS}, modelName) (${named(over('avg_over_time', POWER, '30m'))}) < on (modelName) group_left () ${COMPUTES_AT}
  unless on (${GPU_LABELS}) ${named(`(${over('avg_over_time', TENSOR, '30m')} > 0.01 or ${over('avg_over_time', COPYING, '30m')} >= ${THRESHOLDS.copying})`)}
)`;

/**
 * Those of a process that used tensor cores and for half an hour does not at all, at less than half of the power that it drew: a collective needs none.
 * What computes without them draws more, and decoding uses some. Another process would have taken memory since.
 */
const WITHOUT_TENSOR_CORES = named(`(
  ${over('avg_over_time', POWER, '30m')} < 0.5 * ${over('max_over_time', POWER, '4h')}
  and ${over('max_over_time', TENSOR, '30m')} < 0.001 and ${over('avg_over_time', TENSOR, '4h')} > 0.01
  and ${memory('min_over_time', '4h')} > ${MOST_RESERVED}
)`);

/** Boards run at 1400 MHz and more when they work. The hardware slows those down that are at half of it, so that they draw little. */
const HALVED = named(`(${over('avg_over_time', anywhere('DCGM_FI_DEV_SM_CLOCK'), '30m')} < 1000)`);

/** GPUs that were idle for most of half an hour, two hours ago: what runs on them does not spin while it waits for requests. */
const IDLED = named(`(${utilization('30m', ' offset 2h')} < ${THRESHOLDS.mostly})`);

/**
 * A collective that waits for a GPU or a node that is lost spins: kernels run all the time, and compute nothing,
 * on several GPUs of a node, because one alone waits for nobody. A series that ended with its pod has only the minutes before, which may be
 * those in which the others waited for a GPU that was lost: the GPU itself has another since.
 */
const SPINNING = `(
  min by (${GPU_LABELS}) (${named(utilization('30m'))}) > 95
  and on (${GPU_LABELS}) (${AT_LITTLE_POWER} or ${WITHOUT_TENSOR_CORES})
  unless on (${GPU_LABELS}) ${HALVED}
  unless on (${GPU_LABELS}) (${SERVING} unless on (${GPU_LABELS}) ${IDLED})
)`;

/** GPUs with the job of Slurm that has them, where a label says it. */
const OF_JOBS = `group by (${GPU_LABELS}, hpc_job) (${named(over('last_over_time', UTIL, '5m'))})`;

/** What GPU time goes into: the causes of the dashboard GPU time, for half an hour and more. */
export const gpuTime: RuleGroup = {
  name: 'GPU time',
  interval: '5m',
  rules: [
    {
      id: 'gpu-spin',
      title: 'GPUs spin without computing',
      severity: 'critical',
      // One alert for the nodes of a job, or of a cluster where no label of its GPUs names one.
      query: `sum by (cluster_id, hpc_job) (count by (${NODE_LABELS}, hpc_job) (${OF_JOBS} and on (${GPU_LABELS}) ${SPINNING}) >= 4)`,
      pending: '5m',
      keepFiringFor: '15m',
      description: `Kernels run all the time on ${fixed(0)} GPUs{{ with $labels.hpc_job }} of Slurm job {{ . }}{{ end }}${OF_CLUSTER}, and draw less power than computing does, or use no tensor cores any more.`,
      action:
        'Look at the stacks of the job on the nodes that lose most: a collective waits for a GPU or a node that is lost. Restart it from its last checkpoint.',
      link: { board: 'gpu-time', panel: 'Nodes that lose GPU time, broken ones first' },
    },
    {
      id: 'gpu-held-idle',
      title: 'GPU held idle',
      severity: 'warning',
      query: `
          topk(100,
            count by (${NODE_LABELS}) (
              (${LEFT_BEHIND} or ${HANGS}) unless on (${GPU_LABELS}) ${SERVING}
            )
          )`,
      pending: '15m',
      description: `${counted('GPU')} of ${NODE} ${oneOrMany('is', 'are')} held idle: a process holds memory, while kernels run for no more than ${THRESHOLDS.running} % of the time; for 16 hours, or since the node stopped computing.`,
      action: oneOrMany(
        'Look for the process on this GPU: it died, or a notebook was left open. End it.',
        'Look at the log and the stacks of the job: it hangs, or waits for data. Restart it from its last checkpoint if it hangs.'
      ),
      link: { board: 'node', panel: 'Utilization, means' },
    },
    {
      id: 'gpu-unused',
      title: 'GPUs allocated and not used',
      severity: 'warning',
      query: compact(`topk(100, ${UNUSED})`),
      pending: '2h',
      keepFiringFor: '1h',
      description: `${counted('GPU')} of ${NODE} have been allocated for two hours, and no process uses them.`,
      action:
        'Look what the pod or job does: it sleeps, waits for its other pods, or has more GPUs than it uses. End it, and nothing is lost.',
      link: { board: 'node', panel: 'Utilization, means' },
    },
  ],
};
