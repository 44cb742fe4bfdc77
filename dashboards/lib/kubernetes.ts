// Pods that request GPUs, and nodes that have some to give, by kube-state-metrics.
import { copied, whereLabel } from './promql.ts';

/** The labels that identify a pod. */
export const POD = 'cluster_id, namespace, pod';

const GPUS = 'resource=~"nvidia_com_.+"';

/** It may be scraped less often than GPUs, and is away for minutes where it restarts. */
const newest = (series: string, window = '5m'): string => `last_over_time(${series}[${window}])`;

/** Series by their pod: a scrape without `honor_labels` renames its labels. */
const byPod = (fn: string, series: string, by = POD): string =>
  `${fn} by (${by}) (${copied(copied(series, 'pod', 'exported_pod'), 'namespace', 'exported_namespace')})`;

/** GPUs that nodes have to give: an instance of MIG is one. */
export const ALLOCATABLE = newest(`kube_node_status_allocatable{${GPUS}}`);

const requests = (by: string, window?: string, more = ''): string =>
  byPod('sum', newest(`kube_pod_container_resource_requests{${GPUS}${more}}`, window), by);

/** How many GPUs pods request. */
export const requested = (by = POD): string => requests(by);

/** How many they requested last within a window, once a scheduler had found a node. */
export const requestedWithin = (window: string): string => requests(`${POD}, node`, window, ', node!=""');

/** How often a container of each pod has restarted. */
export const restarts = (window: string): string =>
  byPod('max', `increase(kube_pod_container_status_restarts_total[${window}])`);

/** 1 for each pod that is or was in a phase. */
const inPhase = (phase: string, series = (selector: string) => newest(selector)): string =>
  byPod('group', `${series(`kube_pod_status_phase{phase=~"${phase}"}`)} == 1`);

/** 1 for each pod that is pending. */
const PENDING = inPhase('Pending');

/** How many GPUs these request. */
export const awaited = (by?: string): string => `(${requested(by)} and on (${POD}) ${PENDING})`;

/** How long each pod waits. Where there is no `kube_pod_created`, for as long as it was seen to. */
export const WAITS = `(time() - ${byPod('max', newest('kube_pod_created'))} or 60 * sum_over_time((${PENDING})[1d:1m]))`;

/** 1 for each pod that failed within a window, if it may be gone. */
export const failedWithin = (window: string): string =>
  inPhase('Failed', (selector) => `max_over_time(${selector}[${window}])`);

const NODE = 'cluster_id, node';
const OFFERED = `sum by (${NODE}) (${ALLOCATABLE})`;
const CORDONED = `${newest('kube_node_spec_unschedulable')} == 1`;
const SILENT = `${newest('kube_node_status_condition{condition="Ready", status="true"}')} == 0`;
/** GPUs of nodes that get pods, and those that pods have on them: what has ended requests them until it is deleted. */
const FIT = `(${OFFERED} unless on (${NODE}) (${CORDONED} or ${SILENT}))`;
const HELD = `sum by (${NODE}) (${requested(`${POD}, node`)} unless on (${POD}) ${inPhase('Succeeded|Failed')})`;

/** Of the clusters that a dashboard with this variable chooses. */
export const inQueues = (expr: string): string => whereLabel(`(${expr})`, 'cluster_id', '$slurm_cluster');
/** How many there are in each cluster: 0 where it has nodes with GPUs. */
const countOf = (each: string): string =>
  inQueues(`count by (cluster_id) (${each}) or on (cluster_id) 0 * group by (cluster_id) (${OFFERED})`);

/** What stands for Slurm's counts, by their names: nodes with GPUs for nodes, pods that request some for jobs, and their namespace for the partition. */
export const QUEUE_OF_PODS: Readonly<Record<string, string>> = {
  nodes: countOf(OFFERED),
  nodes_alloc: countOf(`${HELD} >= on (${NODE}) ${FIT}`),
  nodes_mixed: countOf(`${HELD} > 0 < on (${NODE}) ${FIT}`),
  nodes_idle: countOf(`${FIT} unless on (${NODE}) ${HELD} > 0`),
  nodes_drain: countOf(`${OFFERED} and on (${NODE}) ${CORDONED}`),
  nodes_down: countOf(`${OFFERED} and on (${NODE}) ${SILENT} unless on (${NODE}) ${CORDONED}`),
  jobs_running: countOf(`${requested()} and on (${POD}) ${inPhase('Running')}`),
  jobs_pending: countOf(awaited()),
  jobs_failed: countOf(
    `${requestedWithin('1d')} and on (${POD}) ${failedWithin('1d')} unless on (${POD}) ${inPhase('Failed', (phase) => `last_over_time(${phase}[5m] offset 1d)`)}`
  ),
  partition_jobs_pending: inQueues(
    `label_replace(count by (cluster_id, namespace) (${awaited()}) or 0 * group by (cluster_id, namespace) (${requested()}), "partition", "$1", "namespace", "(.+)")`
  ),
};
