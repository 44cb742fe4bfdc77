// What names a node. The one definition: variables of dashboards, rules and the recording rule have it.
import { ALSO_HOST, copied, HOST, matching, withLabel } from './promql.ts';

/** The label that rules give to a node. */
export const HOST_LABEL = 'vm_name';

/** Those that identify a node there, and a GPU. */
export const NODE_LABELS = `cluster_id, ${HOST_LABEL}`;
export const GPU_LABELS = `${NODE_LABELS}, gpu`;

/** The labels that name a node, the best first. `instance` is always there, and may be the address of an exporter that changes. */
export const HOST_LABELS = [HOST_LABEL, 'Hostname', 'hostname', 'node', 'instance'] as const;

/** Names the node of series by the first of its labels, where it is not known which of them there are. */
export const named = (expr: string, to: string = HOST_LABEL): string => {
  const labels = HOST_LABELS.map((label) => `"${label}"`).join(',');
  return copied(`label_join(${expr},"${to}",";",${labels})`, to, to, ';*([^;]+).*');
};

/** Names the node of series that lack the label of most by the one that they have: an upgrade of the exporter renames it. */
export const alsoNamed = (expr: string): string => copied(expr, HOST, ALSO_HOST);

/**
 * The label that names most of the nodes of a metric, as the label `host` of one series: `instance` only where more than half have no
 * other, or the metric isn't there. Of two that all have, it is the better. If it is not there at the end of the range, it is the label at its start.
 */
export const bestHostLabel = (metric: string): string =>
  mostOf((label) => {
    const having = matching(metric, `${label}!=""`);
    return `(count(${having}) or 1e-6 * count(${having} offset $__range))`;
  }, 'instance');

/** Of the GPUs of the range that lack this label, likewise; the same label again if there are none. */
export const secondHostLabel = (metric: string): string =>
  mostOf((label) => {
    const without = matching(metric, `${HOST}=""`, `${label}!=""`);
    return `count(last_over_time(${without}[$__range]) or last_over_time(${without}[1d]))`;
  }, HOST);

function mostOf(count: (label: string) => string, otherwise: string): string {
  const counts = HOST_LABELS.map((label, i) => {
    const weight = label === 'instance' ? 0.5 : 1;
    return withLabel(`${weight} * ${count(label)} - ${i} / 10`, 'host', label);
  });
  const none = withLabel('vector(-1)', 'host', otherwise);
  return `topk(1, ${[...counts, none].join(' or ')})`;
}

/** Metrics of machines and their ports name the node by `vm_name`, if at all: with the label that GPUs have for it. */
export const ofMachine = (expr: string): string => copied(expr, HOST, HOST_LABEL);
