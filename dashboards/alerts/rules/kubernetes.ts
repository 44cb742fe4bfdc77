import { copied } from '../../lib/allocation.ts';
import { HOST_LABEL, NODE_LABELS } from '../../lib/host.ts';
import { ALLOCATABLE, POD, requested, restarts } from '../../lib/kubernetes.ts';
import { now } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { fixed, NODE, OF_CLUSTER } from '../texts.ts';

/** Nodes with GPUs whose kubelet is silent, or evicts pods. Who cordons a node means it to be away. */
const UNFIT = `(last_over_time(kube_node_status_condition{condition="Ready",status!="true"}[5m]) == 1
  or last_over_time(kube_node_status_condition{condition=~".+Pressure",status="true"}[5m]) == 1)
  and on (cluster_id, node) ${ALLOCATABLE} unless on (cluster_id, node) last_over_time(kube_node_spec_unschedulable[5m]) == 1`;

export const kubernetes: RuleGroup = {
  name: 'Kubernetes',
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
      link: { board: 'node', panel: 'Host memory and disks' },
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
      link: { board: 'queue', panel: 'Pods with GPUs that wait or restart', variables: { slurm_cluster: '' } },
    },
  ],
};
