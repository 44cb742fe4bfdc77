import { THRESHOLDS } from '../../../src/catalog/gpuTime.ts';
import { heldIdle, ofFleet, waitingShare } from '../../lib/gpuTime.ts';
import { now, threshold } from '../expressions.ts';
import { ALL_NODES, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE as NODE_TEXT, oneOrMany } from '../texts.ts';

const NODE = 'cluster_id, vm_name, instance';
const POOL = 'cluster_id, nodepool_name';

/** All GPUs. */
const ALL = ofFleet(NODE);

const BOARD = { board: 'gpu-time', panel: 'GPUs by cause' } as const;

/** What GPU time goes into: the causes of the dashboard GPU time. */
export const gpuTime: RuleGroup = {
  name: 'GPU time',
  interval: '1m',
  rules: [
    {
      id: 'gpu-held-idle',
      title: 'GPU held idle',
      severity: 'warning',
      query: now(`topk(100, count by (${NODE}) (${heldIdle(ALL)}))`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '30m',
      noData: { state: 'OK', because: 'no GPU is idle while its memory is in use' },
      summary: 'Fires when GPUs of a node do nothing for 30 minutes while a process holds their memory.',
      description: `${counted('A', 'GPU')} of ${NODE_TEXT} ${oneOrMany('A', 'is', 'are')} held idle: more than ${THRESHOLDS.held_above} MiB of memory are in use, and kernels run for no more than ${THRESHOLDS.running_above} % of the time.`,
      action: oneOrMany(
        'A',
        'Look for the process on this GPU: it died, or a notebook was left open. End it.',
        'Look at the log and the stacks of the job: it hangs, or waits for data. Restart it from its last checkpoint if it hangs.'
      ),
      link: { board: 'node', panel: 'Utilization', variables: ON_NODE, states: ALL_NODES },
    },
    {
      id: 'gpu-waiting',
      title: 'GPUs wait',
      severity: 'warning',
      query: now(`100 * (${waitingShare({ ...ALL, by: `nodepool_name, ${ALL.by}` }, POOL)})`),
      conditions: [threshold('A', 'gt', 30)],
      pending: '1h',
      noData: { state: 'OK', because: 'no GPU is in use' },
      summary: 'Fires when more than 30 % of the GPUs in use of a node pool wait for an hour.',
      description: `${fixed('A', 0)} % of the GPUs in use {{ with $labels.nodepool_name }}of node pool {{ . }} {{ end }}wait: their kernels run, but compute little.`,
      action:
        'Open the dashboard: it shows whether they wait for the network, storage, the host or their peers, and which nodes.',
      link: { ...BOARD, variables: { cluster: '$labels.cluster_id' } },
    },
  ],
};
