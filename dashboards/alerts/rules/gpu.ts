import { FLEET } from '../../lib/causePromql.ts';
import {
  replays,
  slow,
  slowedByHeat,
  slowNodes,
  starved,
  STRAGGLER_CAUSES,
  type StragglerCause,
} from '../../lib/stragglers.ts';
import { GPU_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, compact, over } from '../../lib/promql.ts';
import { quantity } from '../../../src/catalog/quantities.ts';
import { EVERYTHING } from '../../lib/quantities.ts';
import { now, threshold } from '../expressions.ts';
import { ALL_FAULTS, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { choose, counted, fixed, GPU, NODE, OF_CLUSTER, oneOrMany } from '../texts.ts';
import { faults } from './gpuFaults.ts';

// A rule keeps a state for each label set that its query returns. `topk` and filters keep that few on thousands of GPUs.

/** Variables of dashboards of whole clusters. */
const IN_CLUSTER = { cluster: '$labels.cluster_id' };

const mean = (metric: string): string =>
  `max by (${GPU_LABELS}) (${named(over('avg_over_time', anywhere(metric), '5m'))})`;

/** Some degrees below those at which GPUs slow themselves down. */
const HOT = `(${mean('DCGM_FI_DEV_GPU_TEMP')} > 83 or ${mean('DCGM_FI_DEV_MEMORY_TEMP')} > 95)`;

/** Those within the time over which clocks are compared: what they lost is explained. */
const HOT_LATELY = `max_over_time(${HOT}[25m:5m])`;

const HEAT = `(${HOT} or ${slowedByHeat(FLEET)})`;

/** From so many nodes on it is what they share: two may be two machines. */
const SEVERAL = 3;
const IN_ROOM = `100 * count by (cluster_id) (${HEAT}) / ${quantity('gpus', EVERYTHING, 'cluster_id', '10m')}
  and count by (cluster_id) (count by (${NODE_LABELS}) (${HEAT})) >= ${SEVERAL}`;
const MANY = 5;

/** A text for the cause of a slow GPU. */
const ofCause = (text: (cause: StragglerCause) => string): string =>
  choose(
    '$labels.cause',
    Object.entries(STRAGGLER_CAUSES)
      .filter(([cause]) => cause !== 'PCIe')
      .map(([cause, entry]) => [[cause], text(entry)]),
    text(STRAGGLER_CAUSES['low clock'])
  );

/**
 * Transfers that a PCIe link repeats in a minute: more than the eight that the health check of DCGM lets pass, because work in step is slow on all
 * GPUs alike then; or fewer, where the GPU runs fewer kernels than the others.
 */
const REPEATED = `(60 * ${replays(FLEET)} > 8 or 60 * ${replays(FLEET)} and on (${GPU_LABELS}) ${starved(FLEET)})`;

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
            count by (${NODE_LABELS}) (${HOT}) unless on (cluster_id) ((${IN_ROOM}) > ${MANY})
          )`),
      pending: '5m',
      keepFiringFor: '1h',
      summary:
        'Fires when GPUs of a node are above 83 °C, or their memory above 95 °C, on average over 5 minutes, and it is not the room.',
      description: `${counted('A', 'GPU')} of ${NODE} ${oneOrMany('A', 'is', 'are')} above 83 °C, or 95 °C in memory, on average over 5 minutes.`,
      action: oneOrMany(
        'A',
        'Move the job to another node: the GPU slows itself down, or will. Report it: the others of its node are cool.',
        'Move the job to another node: the GPUs slow themselves down, or will. Report the cooling of the node.'
      ),
      link: { board: 'node', panel: 'Power and heat', variables: ON_NODE, states: ALL_FAULTS },
    },
    ...faults,
    {
      id: 'gpus-throttled',
      title: 'Many GPUs hot',
      severity: 'critical',
      query: now(IN_ROOM),
      conditions: [threshold('A', 'gt', MANY)],
      pending: '5m',
      keepFiringFor: '1h',
      summary:
        'Fires when more than 5 % of the GPUs of a cluster, on three nodes or more, are hot or slowed down by heat.',
      description: `${fixed('A', 0)} % of the GPUs${OF_CLUSTER} are hot, on three nodes or more.`,
      action: 'Report it to the platform: so many at once are the cooling of the room, not of a machine.',
      link: { board: 'stragglers', panel: 'GPUs that heat slows down', variables: IN_CLUSTER },
    },
    {
      id: 'gpu-straggler',
      title: 'GPU slower than its peers',
      severity: 'warning',
      query: now(`100 * topk(100, ${compact(slow(FLEET))} unless on (${GPU_LABELS}) ${HOT_LATELY})`),
      pending: '10m',
      keepFiringFor: '1h',
      summary: 'Fires when a GPU under load runs at a clearly lower clock than the others of its node and is not hot.',
      description: `The clock of ${GPU} is ${fixed('A', 1)} % below the median of its node under load (over 24 minutes). Why: ${ofCause(({ reason }) => reason)}. Work that is shared in step is as slow as this GPU.`,
      action: ofCause(({ action }) => action),
      link: {
        board: 'node',
        panel: 'GPUs',
        variables: ON_NODE,
        states: { board: 'stragglers', panel: 'GPUs slower than their peers, by clock and heat' },
      },
    },
    {
      id: 'gpu-pcie',
      title: 'PCIe transfers repeated',
      severity: 'warning',
      query: now(`topk(100, ${compact(REPEATED)})`),
      pending: '10m',
      keepFiringFor: '1h',
      summary:
        'Fires when a GPU repeats more than eight PCIe transfers a minute, or more than one and runs fewer kernels than the others of its node.',
      description: `${GPU} repeats ${fixed('A', 1)} PCIe transfers a minute (over 24 minutes). Work that is shared in step is as slow as this GPU.`,
      action: STRAGGLER_CAUSES.PCIe.action,
      link: { board: 'node', panel: 'GPUs', variables: ON_NODE, states: ALL_FAULTS },
    },
    {
      id: 'node-straggler',
      title: 'Node slower than its node pool',
      severity: 'warning',
      query: now(`100 * topk(100, ${slowNodes(FLEET)} unless on (${NODE_LABELS}) ${HOT_LATELY})`),
      pending: '15m',
      keepFiringFor: '1h',
      summary:
        'Fires when a power limit or heat holds the GPUs of a node, which are not hot, at a clearly lower clock than those of its node pool, or whatever does at half of it.',
      description: `The median clock of the GPUs of ${NODE} is ${fixed('A', 1)} % below that of others of their model under load. If they share a job, it is as slow as this node.`,
      action:
        'Read the reasons for the clock on the node (nvidia-smi -q -d PERFORMANCE): half of it is a power brake, as of a failed supply. Move the job and report the node.',
      link: {
        board: 'stragglers',
        panel: 'Nodes slower than their node pool, by heat and power limit',
        variables: IN_CLUSTER,
      },
    },
  ],
};
