// Nodes that somebody has taken out of service, by what schedulers say.
import { HOST_LABEL, named } from '../lib/host.ts';
import { anywhere, over } from '../lib/promql.ts';

/** What schedulers said last within a time: a node that was drained and is gone from them still is. */
function drained(ofCluster: string, window: string): string {
  const slurm = `last_over_time(slurm_node_info{state_is_drain="true", ${ofCluster}}[${window}]) unless on (cluster_id, node_name) slurm_node_info{state_is_drain="false"}`;
  const kubernetes = `last_over_time(kube_node_spec_unschedulable{${ofCluster}}[${window}]) == 1`;
  const nameFrom = (expr: string, label: string) => `label_replace(${expr}, "${HOST_LABEL}", "$1", "${label}", "(.+)")`;
  return `(${nameFrom(slurm, 'node_name')} or ${nameFrom(kubernetes, 'node')})`;
}

/** Nodes of several clusters that have one name. */
const NAMESAKES = `count by (${HOST_LABEL}) (group by (cluster_id, ${HOST_LABEL}) (${named(over('last_over_time', anywhere('DCGM_FI_DEV_FB_USED'), '10m'))})) > 1`;

/**
 * What is on nodes that are in service. A scheduler's series are joined by cluster and node; those without a cluster by the node alone,
 * where one cluster has a node of that name.
 */
export const inService = (expr: string, window = '10m'): string =>
  `((${expr}) unless on (cluster_id, ${HOST_LABEL}) ${drained('cluster_id!=""', window)} unless on (${HOST_LABEL}) (${drained('cluster_id=""', window)} unless on (${HOST_LABEL}) ${NAMESAKES}))`;
