import {
  FLEET,
  slow,
  slowedByHeat,
  slowNodes,
  STRAGGLER_CAUSES,
  stragglers,
  type StragglerCause,
} from '../../lib/stragglers.ts';
import { GPU_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { quantity } from '../../../src/catalog/quantities.ts';
import { EVERYTHING } from '../../lib/quantities.ts';
import { now, threshold } from '../expressions.ts';
import { ALL_FAULTS, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { choose, counted, fixed, GPU, NODE, oneOrMany } from '../texts.ts';
import { faults } from './gpuFaults.ts';

// A rule keeps a state for each label set that its query returns. `topk` and filters keep that few on thousands of GPUs.

/** Variables of dashboards of whole clusters. */
const IN_CLUSTER = { cluster: '$labels.cluster_id' };

const TEMPERATURE = named(over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_TEMP'), '5m'));
const MEMORY_TEMPERATURE = named(over('avg_over_time', anywhere('DCGM_FI_DEV_MEMORY_TEMP'), '5m'));

/** From so many nodes on it is what they share: two may be two machines. */
const SEVERAL = 3;
const HOT_NODES = `count by (cluster_id) (count by (${NODE_LABELS}) (${slowedByHeat(FLEET)}))`;

/** A text for the cause of a slow GPU. */
const ofCause = (text: (cause: StragglerCause) => string): string =>
  choose(
    '$labels.cause',
    Object.entries(STRAGGLER_CAUSES).map(([cause, entry]) => [[cause], text(entry)]),
    text(STRAGGLER_CAUSES['low clock'])
  );

/** What is compared: a GPU that waits for its host is at the clock of the others. */
const ofHow = choose('$labels.cause', [[['PCIe'], 'The utilization']], 'The clock');

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
            count by (${NODE_LABELS}) (
              (max by (${GPU_LABELS}) (${TEMPERATURE}) > 83 or max by (${GPU_LABELS}) (${MEMORY_TEMPERATURE}) > 95)
              unless on (${GPU_LABELS}) (${slow(FLEET)})
            )
          )`),
      pending: '5m',
      keepFiringFor: '1h',
      summary:
        'Fires when a GPU is above 83 °C, or its memory above 95 °C, on average over 5 minutes, and is not reported as slower than its peers.',
      description: `${counted('A', 'GPU')} of ${NODE} ${oneOrMany('A', 'is', 'are')} above 83 °C, or 95 °C in memory, on average over 5 minutes.`,
      action: oneOrMany(
        'A',
        'Move the job to another node before the GPU throttles, and report the GPU: the others of its node are cool.',
        'Move the job to another node before the GPUs throttle, and report the cooling of the node.'
      ),
      link: { board: 'node', panel: 'Power and heat', variables: ON_NODE, states: ALL_FAULTS },
    },
    ...faults,
    {
      id: 'gpus-throttled',
      title: 'Many GPUs slowed by heat',
      severity: 'warning',
      query: now(`
          100 * count by (cluster_id) (${slowedByHeat(FLEET)}) / ${quantity('gpus', EVERYTHING, 'cluster_id', '10m')}
          and ${HOT_NODES} >= ${SEVERAL}`),
      conditions: [threshold('A', 'gt', 5)],
      pending: '15m',
      keepFiringFor: '1h',
      summary: 'Fires when heat slows down more than 5 % of the GPUs of a cluster, on three nodes or more.',
      description: `Heat slows down ${fixed('A', 0)} % of the GPUs of cluster {{ $labels.cluster_id }}.`,
      action: 'Report it to the platform: so many at once are the cooling of the room, not of a machine.',
      link: { board: 'stragglers', panel: 'GPUs that heat slows down', variables: IN_CLUSTER },
    },
    {
      id: 'gpu-straggler',
      title: 'GPU slower than its peers',
      severity: 'warning',
      query: now(`100 * topk(100, ${stragglers(FLEET)})`),
      pending: '10m',
      keepFiringFor: '1h',
      summary:
        'Fires when a GPU under load runs at a clearly lower clock than the others of its node, or repeats PCIe transfers and is idle meanwhile.',
      description: `${ofHow} of ${GPU} is ${fixed('A', 1)} % below the median of its node under load (over 24 minutes). Why: ${ofCause(({ reason }) => reason)}. Work that is shared in step is as slow as this GPU.`,
      action: ofCause(({ action }) => action),
      link: {
        board: 'node',
        panel: 'GPUs',
        variables: ON_NODE,
        states: { board: 'stragglers', panel: 'GPUs slower than their peers, by clock and heat' },
      },
    },
    {
      id: 'node-straggler',
      title: 'Node slower than its node pool',
      severity: 'warning',
      query: now(`100 * topk(100, ${slowNodes(FLEET)})`),
      pending: '15m',
      keepFiringFor: '1h',
      summary:
        'Fires when heat or a power limit holds the GPUs of a node at a clearly lower clock than those of its node pool.',
      description: `The median clock of the GPUs of ${NODE} is ${fixed('A', 1)} % below that of the nodes under load of its pool. If they share a job, it is as slow as this node.`,
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
