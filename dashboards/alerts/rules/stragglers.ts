import { FLEET } from '../../lib/causePromql.ts';
import { GPU_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, compact, over, withLabel } from '../../lib/promql.ts';
import {
  ALONE,
  ENOUGH_PEERS,
  LOADED,
  MOST_POWER,
  replays,
  SLOWER,
  slowNodes,
  starved,
  STRAGGLER_CAUSES,
  type StragglerCause,
  usual,
  WINDOW,
} from '../../lib/stragglers.ts';
import { now } from '../expressions.ts';
import { ALL_FAULTS, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { choose, fixed, GPU, NODE } from '../texts.ts';
import { HOT_LATELY, IN_CLUSTER, SLOWED_BY_HEAT } from './gpu.ts';

/** A text for the cause of a slow GPU. */
const ofCause = (text: (cause: StragglerCause) => string): string =>
  choose(
    '$labels.cause',
    Object.entries(STRAGGLER_CAUSES)
      .filter(([cause]) => cause !== 'PCIe')
      .map(([cause, entry]) => [[cause], text(entry)]),
    text(STRAGGLER_CAUSES['low clock'])
  );

/** What is compared: GPUs of a node and of one model, and of one job of Slurm, if the exporter names it. */
const PEERS = `${NODE_LABELS}, modelName, hpc_job`;

const UNDER_LOAD = `${over('avg_over_time', anywhere('DCGM_FI_DEV_GPU_UTIL'), WINDOW)} > ${LOADED}`;
const ofLoaded = (number: string): string => named(`(${number} and ${UNDER_LOAD})`);
const each = (series: string): string => `max by (${PEERS}, gpu) (${series})`;

/** The clock of each GPU under load, without the time before it began to work. */
const CLOCK = each(ofLoaded(usual(FLEET, 'DCGM_FI_DEV_SM_CLOCK')));
const BEHIND = `(1 - ${CLOCK} / on (${PEERS}) group_left () quantile by (${PEERS}) (0.5, ${CLOCK}))`;

/** Several at a low clock are a job of their own, or locked to it. */
const NOT_ALONE = `count by (${PEERS}) (${BEHIND} > ${ALONE}) > 1`;

/** A lower clock draws less power: one that draws more than the others has work of its own, such as prefill beside decode. */
const POWER = usual(FLEET, 'DCGM_FI_DEV_POWER_USAGE');
const OTHER_WORK = `${named(POWER)} > on (${NODE_LABELS}) group_left () (${MOST_POWER} * quantile by (${NODE_LABELS}) (0.5, ${ofLoaded(POWER)}))`;

const SLOW = `(
    ${BEHIND} > ${SLOWER}
    and on (${PEERS}) count by (${PEERS}) (${each(named(UNDER_LOAD))}) >= ${ENOUGH_PEERS}
    unless on (${PEERS}) ${NOT_ALONE}
    unless on (${GPU_LABELS}) ${OTHER_WORK}
    unless on (${GPU_LABELS}) ${HOT_LATELY}
  )`;

const BY_POWER = named(`(rate(${anywhere('DCGM_FI_DEV_POWER_VIOLATION')}[${WINDOW}]) > 0.15 * 1e9)`);

/** The label `cause`: the first that applies. */
const CAUSES = Object.entries({
  heat: SLOWED_BY_HEAT,
  'power limit': BY_POWER,
  'low clock': named(anywhere('DCGM_FI_DEV_SM_CLOCK')),
} satisfies Partial<Record<keyof typeof STRAGGLER_CAUSES, string>>)
  .map(([cause, expr]) => withLabel(`group by (${GPU_LABELS}) (${expr})`, 'cause', cause))
  .join(` or on (${GPU_LABELS}) `);

/**
 * Transfers that a PCIe link repeats in a minute: more than the eight that the health check of DCGM lets pass, because work in step is slow on all
 * GPUs alike then; or fewer, where the GPU runs fewer kernels than the others.
 */
const TRANSFERS = `60 * ${compact(replays(FLEET))}`;
const REPEATED = `${TRANSFERS} > 8 or ${TRANSFERS} and on (${GPU_LABELS}) ${compact(starved(FLEET))}`;

/** GPUs and nodes that are compared over 24 minutes, which costs most of all rules on a large fleet. */
export const stragglers: RuleGroup = {
  name: 'Stragglers',
  interval: '5m',
  rules: [
    {
      id: 'gpu-straggler',
      title: 'GPU slower than its peers',
      severity: 'warning',
      query: now(
        compact(
          `100 * topk(100, max by (${GPU_LABELS}, cause) (${SLOW} * on (${GPU_LABELS}) group_left (cause) (${CAUSES})))`
        )
      ),
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
      query: now(`topk(100, ${REPEATED})`),
      pending: '10m',
      keepFiringFor: '1h',
      summary:
        'Fires when a GPU repeats more than eight PCIe transfers a minute, or two in 24 minutes and runs fewer kernels than the others of its node.',
      description: `${GPU} repeats ${fixed('A', 1)} PCIe transfers a minute (over 24 minutes). Work that is shared in step is as slow as this GPU.`,
      action: STRAGGLER_CAUSES.PCIe.action,
      link: { board: 'node', panel: 'GPUs', variables: ON_NODE, states: ALL_FAULTS },
    },
    {
      id: 'node-straggler',
      title: 'Node slower than its node pool',
      severity: 'warning',
      query: now(compact(`100 * topk(100, ${slowNodes(FLEET)} unless on (${NODE_LABELS}) ${HOT_LATELY})`)),
      pending: '15m',
      keepFiringFor: '1h',
      summary:
        'Fires when a power limit or heat holds the GPUs of a node, which are not hot, at a clearly lower clock than those of its node pool, or whatever does at half of it.',
      description: `The median clock of the GPUs of ${NODE} is ${fixed('A', 1)} % below that of others of their model under load. If they share a job, it is as slow as this node.`,
      action:
        'Read the reasons for the clock on the node (nvidia-smi -q -d PERFORMANCE): half of it is a power brake, as of a failed supply. Move the job and report the node.',
      link: {
        board: 'stragglers',
        panel: 'Nodes at a lower clock than their node pool',
        variables: IN_CLUSTER,
      },
    },
  ],
};
