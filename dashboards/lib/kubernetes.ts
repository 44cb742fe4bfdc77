// Pods that request GPUs, and nodes that have some to give, by kube-state-metrics.
import { copied } from './allocation.ts';

/** The labels that identify a pod. */
export const POD = 'cluster_id, namespace, pod';

const GPUS = 'resource=~"nvidia_com_.+"';

/** It may be scraped less often than GPUs, and is away for minutes where it restarts. */
const newest = (series: string, window = '5m'): string => `last_over_time(${series}[${window}])`;

/** Series by their pod: a scrape without `honor_labels` renames its labels. */
const byPod = (fn: string, series: string, by = POD): string =>
  `${fn} by (${by}) (${copied(copied(series, 'pod', 'exported_pod'), 'namespace', 'exported_namespace')})`;

/** When each pod was created. */
export const CREATED = byPod('max', newest('kube_pod_created'));

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

/** 1 for each pod that is pending. */
export const PENDING = byPod('group', `${newest('kube_pod_status_phase{phase="Pending"}')} == 1`);

/** How many GPUs these request. */
export const awaited = (by?: string): string => `(${requested(by)} and on (${POD}) ${PENDING})`;
