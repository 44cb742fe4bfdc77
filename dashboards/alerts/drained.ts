// Nodes that somebody has taken out of service, by what schedulers say.
import { IN_CLUSTER, PLACE, placed, TWO_GPUS, withoutJobs } from '../lib/allocation.ts';
import { HOST_LABEL, HOST_LABELS, named, NODE_LABELS } from '../lib/host.ts';
import { anywhere, over, withLabel } from '../lib/promql.ts';

/** Two GPUs of each node, one of which may be gone, or all of one whose exporter does not say which is which: to know of nodes, as good as all. */
export const TWO_OF_NODE = over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED', TWO_GPUS), '10m');

/** GPUs by the other names of their nodes: schedulers may have any, and the workers of a Slurm cluster on Kubernetes are pods. */
const ALSO_KNOWN = `(${placed(TWO_OF_NODE, 'exported_pod', 'pod')} or ${placed(TWO_OF_NODE, ...HOST_LABELS.slice(1, -1))})`;

/**
 * What is on nodes that are in service. A scheduler's series are joined by cluster and node; those without a cluster by the node alone.
 * @param window in which a scheduler said last that a node is drained: one of Slurm counts for as long after it is resumed
 * @param ago for how long a node has to be drained at least, because a check of the scheduler may drain it for the fault
 */
export const inService = (expr: string, window = '10m', ago = '5m'): string => {
  const drained = (...matchers: string[]) =>
    withoutJobs(
      (metric, ...more) => `last_over_time(${anywhere(metric, ...more, ...matchers)}[${window}] offset ${ago})`
    );
  const inNoScheduler = `${placed(`(${expr})`, HOST_LABEL)} unless on (${IN_CLUSTER}) ${drained()} unless on (${PLACE}) ${drained('cluster_id=""')}`;
  const others = named(`(${ALSO_KNOWN} and on (${IN_CLUSTER}) ${drained()})`);
  return `(${withLabel(inNoScheduler, PLACE, '')} unless on (${NODE_LABELS}) ${others})`;
};
