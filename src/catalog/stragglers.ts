/** What slows a GPU down, and what to do about it. */
export interface StragglerCause {
  /** What is seen, as part of a sentence. */
  reason: string;
  /** What to do first, as a sentence. */
  action: string;
}

/**
 * The causes for which a GPU is slower than its peers, by the label `cause` of the queries that find it, in the order in which
 * the first that applies is taken.
 *
 * Reasons for which a clock is lowered: https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
 */
export const STRAGGLER_CAUSES = {
  heat: {
    reason: 'heat, the GPU slows itself down',
    action:
      'Look at the temperature of its neighbors: if they are cool, report the GPU, else the cooling of the node. Move the job to another node.',
  },
  'power limit': {
    reason: 'its power limit, which the others of its node do not reach',
    action:
      'Compare its power limit with that of its neighbors (nvidia-smi -q -d POWER), and set it to theirs. Report the GPU if it draws more for the same work.',
  },
  PCIe: {
    reason: 'its PCIe link, over which transfers have to be repeated',
    action:
      'Drain the node and restart it, which trains the link again. Report the GPU if transfers are still repeated.',
  },
  'low clock': {
    reason: 'none is seen in the metrics',
    action:
      'Read the reasons for the clock on the node (nvidia-smi -q -d PERFORMANCE): a locked clock, a power brake, a failing supply. Reset the GPU when its node is free, and report it if the clock stays low.',
  },
} satisfies Record<string, StragglerCause>;
