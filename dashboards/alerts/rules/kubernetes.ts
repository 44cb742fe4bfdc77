import { ALLOCATABLE, POD, requested, requestedIn, restarts } from '../../lib/kubernetes.ts';
import { now } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, OF_CLUSTER, oneOrMany } from '../texts.ts';

const PODS = { board: 'queue', panel: 'Pods with GPUs that wait or restart' } as const;

/** GPUs of nodes that take pods and that no pod requests. */
const NOT_REQUESTED = `sum by (cluster_id) (${ALLOCATABLE} unless on (cluster_id, node) last_over_time(kube_node_spec_unschedulable[5m]) == 1)
  - (sum by (cluster_id) (${requestedIn('Running')}) or 0 * group by (cluster_id) (${ALLOCATABLE}))`;

export const kubernetes: RuleGroup = {
  name: 'Kubernetes',
  interval: '1m',
  rules: [
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
