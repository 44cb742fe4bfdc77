import { FLEET } from '../../lib/causePromql.ts';
import { GPU_LABELS, HOST_LABEL, HOST_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, compact, copied } from '../../lib/promql.ts';
import {
  alone,
  type Fleet,
  replays,
  slowNodes,
  starved,
  STRAGGLER_CAUSES,
  type StragglerCause,
  withCause,
} from '../../lib/stragglers.ts';
import { type RuleGroup } from '../rule.ts';
import { choose, fixed, GPU, NODE } from '../texts.ts';
import { HOT_LATELY } from './gpu.ts';

/** A text for the cause of a slow GPU. */
const ofCause = (text: (cause: StragglerCause) => string): string =>
  choose(
    '$labels.cause',
    Object.entries(STRAGGLER_CAUSES)
      .filter(([cause]) => cause !== 'PCIe')
      .map(([cause, entry]) => [cause, text(entry)]),
    text(STRAGGLER_CAUSES['low clock'])
  );

/** All GPUs by all labels that may name a node, which are alike on all metrics of a GPU. */
const UNNAMED: Fleet = { select: anywhere, node: ['cluster_id', ...HOST_LABELS].join(), named: (expr) => expr };

/** GPUs alone with a low clock, whose nodes are named at the end, which is shorter: by another label first, see `copied`. */
const SLOW = copied(named(withCause(UNNAMED, alone(UNNAMED)), 'n'), HOST_LABEL, 'n', '(.*)');

/**
 * Transfers that a PCIe link repeats in a minute: more than the eight that the health check of DCGM lets pass, because work in step is slow on all
 * GPUs alike then; or fewer, where the GPU runs fewer kernels than the others.
 */
const TRANSFERS = compact(`60 * max by (${GPU_LABELS}) (${replays(FLEET)})`);
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
      query: compact(
        `100 * topk(100, max by (${GPU_LABELS}, cause) (${SLOW}) unless on (${GPU_LABELS}) ${HOT_LATELY})`
      ),
      pending: '10m',
      keepFiringFor: '1h',
      description: `The clock of ${GPU} is ${fixed(1)} % below the median of its node under load (over 24 minutes). Why: ${ofCause(({ reason }) => reason)}. Work that is shared in step is as slow as this GPU.`,
      action: ofCause(({ action }) => action),
      link: { board: 'stragglers', panel: 'GPUs slower than their peers, by clock and heat' },
    },
    {
      id: 'gpu-pcie',
      title: 'PCIe transfers repeated',
      severity: 'warning',
      query: `topk(100, ${REPEATED})`,
      pending: '10m',
      keepFiringFor: '1h',
      description: `${GPU} repeats ${fixed(1)} PCIe transfers a minute (over 24 minutes). Work that is shared in step is as slow as this GPU.`,
      action: STRAGGLER_CAUSES.PCIe.action,
      link: { board: 'node', panel: 'GPUs' },
    },
    {
      id: 'node-straggler',
      title: 'Node slower than its node pool',
      severity: 'critical',
      query: compact(`100 * topk(100, ${slowNodes(FLEET)} unless on (${NODE_LABELS}) ${HOT_LATELY})`),
      pending: '15m',
      keepFiringFor: '1h',
      description: `The median clock of the GPUs of ${NODE} is ${fixed(1)} % below that of others of their model under load. If they share a job, it is as slow as this node.`,
      action:
        'Read the reasons for the clock on the node (nvidia-smi -q -d PERFORMANCE): half of it is a power brake, as of a failed supply. Move the job and report the node.',
      link: { board: 'stragglers', panel: 'Nodes at a lower clock than their node pool' },
    },
  ],
};
