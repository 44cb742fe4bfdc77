import { copied } from '../../lib/allocation.ts';
import { HOST_LABEL, NODE_LABELS } from '../../lib/host.ts';
import { ALLOCATABLE, POD, requested, requestedIn, restarts } from '../../lib/kubernetes.ts';
import { now } from '../expressions.ts';
import { ALL_NODES, ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE, OF_CLUSTER, oneOrMany } from '../texts.ts';

const PODS = { board: 'queue', panel: 'Pods with GPUs that wait or restart' } as const;

const CORDONED = 'last_over_time(kube_node_spec_unschedulable[5m]) == 1';

/** GPUs of nodes that take pods and that no pod requests. */
const NOT_REQUESTED = `sum by (cluster_id) (${ALLOCATABLE} unless on (cluster_id, node) ${CORDONED})
  - (sum by (cluster_id) (${requestedIn('Running')}) or 0 * group by (cluster_id) (${ALLOCATABLE}))`;

/** Nodes with GPUs whose kubelet is silent, or evicts pods. Who cordons a node means it to be away. */
const UNFIT = `(last_over_time(kube_node_status_condition{condition="Ready",status!="true"}[5m]) == 1
  or last_over_time(kube_node_status_condition{condition=~".+Pressure",status="true"}[5m]) == 1)
  and on (cluster_id, node) ${ALLOCATABLE} unless on (cluster_id, node) ${CORDONED}`;

export const kubernetes: RuleGroup = {
  name: 'Kubernetes',
  interval: '1m',
  rules: [
    {
      id: 'node-unfit',
      title: 'Kubernetes node takes no pods',
      severity: 'critical',
      query: now(`topk(100, group by (${NODE_LABELS}, condition) (${copied(UNFIT, HOST_LABEL, 'node')}))`),
      pending: '10m',
      summary: 'Fires when a node with GPUs that is not cordoned is not ready, or evicts pods, for 10 minutes.',
      description: `Node ${NODE}${OF_CLUSTER} takes no pods: {{ if eq $labels.condition "Ready" }}it is not ready, and its pods are replaced elsewhere{{ else }}it is under {{ $labels.condition }}, and evicts pods{{ end }}.`,
      action:
        '{{ if eq $labels.condition "Ready" }}Read why with kubectl describe node: kubelet is silent, or the network. Restart it.{{ else }}Free what it has too little of, mostly of images and files in containers.{{ end }}',
      link: { board: 'node', panel: 'Host memory and disks', variables: ON_NODE, states: ALL_NODES },
    },
    {
      id: 'pod-restarts',
      title: 'Pod with GPUs restarts again and again',
      severity: 'warning',
      // Kubernetes waits up to five minutes before it starts a container again: one that runs for ten restarts four times in an hour.
      query: now(`topk(100, ${restarts('1h')} > 2.5 and on (${POD}) ${requested()})`),
      summary: 'Fires when a container of a pod that requests GPUs has restarted three times within an hour.',
      description: `A container of pod {{ $labels.namespace }}/{{ $labels.pod }}${OF_CLUSTER} has restarted ${fixed('A', 0)} times within an hour, while the pod keeps its GPUs.`,
      action: 'Read why it ended with kubectl describe pod, and its log with kubectl logs --previous.',
      link: PODS,
    },
    {
      id: 'gpus-free-pending',
      title: 'GPUs free while pods wait',
      severity: 'info',
      query: now(
        `count by (cluster_id) (${requestedIn('Pending')} <= on (cluster_id) group_left () (${NOT_REQUESTED}))`
      ),
      pending: '1h',
      summary: 'Fires when pods wait for GPUs for an hour while no other pod requests as many that are in service.',
      description: `${counted('A', 'pod')}${OF_CLUSTER} ${oneOrMany('A', 'waits', 'wait')}, and ${oneOrMany('A', 'requests', 'each requests')} no more GPUs than are free.`,
      action:
        'Read why with kubectl describe pod: too few of the GPUs are on one node or of its model, or it is a taint, a quota, an image or a volume.',
      link: PODS,
    },
  ],
};
