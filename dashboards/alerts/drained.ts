// Nodes that somebody has taken out of service, by what schedulers say.
import { copied, IN_CLUSTER, PLACE, SHORT, TWO_GPUS, withPods } from '../lib/allocation.ts';
import { HOST_LABEL, HOST_LABELS, named, NODE_LABELS } from '../lib/host.ts';
import { anywhere, over, withLabel } from '../lib/promql.ts';

/**
 * Nodes of Slurm that are not drained any more. A reboot of a drained node may end the drain with the state DOWN: such a node was resumed only
 * if it was available after it was last drained.
 */
function resumed(ofCluster: string, window: string, ago: string): string {
  const inState = (isDrain: boolean, more: string) =>
    `slurm_node_info{state_is_drain="${isDrain}", ${more}${ofCluster}}`;
  const last = (state: string) =>
    `max by (cluster_id, node_name) (max_over_time((time() * group by (cluster_id, node_name) (${state}))[${window}:15m] offset ${ago}))`;
  const available = inState(false, 'is_unavailable!="true", ');
  return `(${available} offset ${ago} or ${inState(false, 'is_unavailable="true", ')} offset ${ago} and on (cluster_id, node_name) (${last(available)} > ${last(inState(true, ''))}))`;
}

/**
 * What schedulers said last within a time, by the short names of nodes: a node that was drained and is gone from them still is. Not what they say
 * since some minutes, because a check of their own may drain a node for the fault, and nobody would get an alert.
 */
function drained(ofCluster: string, window: string, ago: string): string {
  const slurm = `last_over_time(slurm_node_info{state_is_drain="true", ${ofCluster}}[${window}] offset ${ago}) unless on (cluster_id, node_name) ${resumed(ofCluster, window, ago)}`;
  const kubernetes = `last_over_time(kube_node_spec_unschedulable{${ofCluster}}[${window}] offset ${ago}) == 1`;
  return `(${copied(slurm, PLACE, 'node_name', SHORT)} or ${copied(kubernetes, PLACE, 'node', SHORT)})`;
}

const byHost = (expr: string, label: string = HOST_LABEL): string => copied(expr, PLACE, label, SHORT);

/** Two GPUs of each node, one of which may be gone, or all of one whose exporter does not say which is which: to know of nodes, as good as all. */
export const TWO_OF_NODE = over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED', TWO_GPUS), '10m');

const GPUS = named(TWO_OF_NODE);

/** Nodes of several clusters that have one name. */
const NAMESAKES = `count by (${PLACE}) (group by (${IN_CLUSTER}) (${byHost(GPUS)})) > 1`;

/** GPUs with the other names of their nodes: schedulers may have any, and the workers of a Slurm cluster on Kubernetes are pods. */
const ALSO_KNOWN = [withPods(GPUS), ...HOST_LABELS.slice(1, -1).map((label) => byHost(GPUS, label))].join(' or ');

/**
 * What is on nodes that are in service. A scheduler's series are joined by cluster and node; those without a cluster by the node alone, where
 * one cluster has a node of that name.
 * @param ago for how long a node has to be drained at least
 */
export const inService = (expr: string, window = '10m', ago = '5m'): string => {
  const known = drained('cluster_id!=""', window, ago);
  const byName = `${byHost(`(${expr})`)} unless on (${IN_CLUSTER}) ${known} unless on (${PLACE}) (${drained('cluster_id=""', window, ago)} unless on (${PLACE}) ${NAMESAKES})`;
  const others = `((${ALSO_KNOWN}) and on (${IN_CLUSTER}) ${known})`;
  return `(${withLabel(byName, PLACE, '')} unless on (${NODE_LABELS}) ${others})`;
};
