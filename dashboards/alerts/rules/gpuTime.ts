import { THRESHOLDS } from '../../lib/causes.ts';
import { NOT_OF_EXPORTER } from '../../lib/allocation.ts';
import { heldIdle, FLEET, slowly } from '../../lib/causePromql.ts';
import { named } from '../../lib/host.ts';
import { anywhere } from '../../lib/promql.ts';
import { now } from '../expressions.ts';
import { ALL_NODES, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, NODE, oneOrMany } from '../texts.ts';

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
const NAMED_SO = `(?i)(.*[^a-z])?(${SERVICES.join('|')})([^a-z].*)?`;

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

/** What GPU time goes into: the causes of the dashboard GPU time. */
export const gpuTime: RuleGroup = {
  name: 'GPU time',
  interval: '1m',
  rules: [
    {
      id: 'gpu-held-idle',
      title: 'GPU held idle',
      severity: 'warning',
      query: now(`topk(100, count by (${ALL.node}) ((${heldIdle(ALL)}) unless on (${ALL.node}, gpu) (${SERVING})))`),
      pending: '30m',
      summary:
        'Fires when GPUs of a node do nothing for 30 minutes while they are allocated or a process holds their memory; not for model servers and notebooks, by their names.',
      description: `${counted('A', 'GPU')} of ${NODE} ${oneOrMany('A', 'is', 'are')} held idle: allocated, or with ${THRESHOLDS.held} MiB of memory more in use than an idle GPU of the node has, while kernels run for no more than ${THRESHOLDS.running} % of the time.`,
      action: oneOrMany(
        'A',
        'Look for the process on this GPU: it died, or a notebook was left open. End it.',
        'Look at the log and the stacks of the job: it hangs, or waits for data. Restart it from its last checkpoint if it hangs.'
      ),
      link: { board: 'node', panel: 'Utilization, means', variables: ON_NODE, states: ALL_NODES },
    },
  ],
};
