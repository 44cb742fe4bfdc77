import { anywhere, copied } from '../../lib/promql.ts';
import { anyVendor, atEnd, WITHOUT_NODES } from '../../lib/quantities.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, oneOrMany, NODE, OF_CLUSTER } from '../texts.ts';
import { HOST_LABEL, NODE_LABELS } from '../../lib/host.ts';
import { ALLOCATABLE, POD, requested, restarts } from '../../lib/kubernetes.ts';

/** All clusters, by the platform's counts, or by soperator's exporter. */
const OF_SLURM = { ...WITHOUT_NODES, ofSoperator: true };

/** Soperator's exporter has no name of the cluster. */
const SLURM = '{{ with $labels.cluster_id }}Slurm cluster {{ . }}{{ else }}Slurm{{ end }}';

const CYCLE = anyVendor('slurm_schedule_cycle_last');

/** A scheduler that works has another length, in microseconds, of each cycle. */
const NO_CYCLE = `max by (cluster_id) (max_over_time(${CYCLE}[30m])) == max by (cluster_id) (min_over_time(${CYCLE}[30m]))`;

/** Clusters of which all nodes, or those that matchers choose, are drained or in maintenance, as far as their nodes are known. */
export const allDrained = (...matchers: string[]): string =>
  `slurm_node_info unless on (cluster_id) ${anywhere('slurm_node_info', ...matchers, 'state_is_drain!="true"', 'state_is_maintenance!="true"')}`;

export const slurm: RuleGroup = {
  name: 'Slurm',
  rules: [
    {
      id: 'slurm-nodes-down',
      title: 'Slurm nodes down',
      severity: 'warning',
      query: `${atEnd('slurmDown', OF_SLURM, 'cluster_id')} unless on (cluster_id) (${allDrained('state_base="DOWN"')})`,
      // Nodes that are drained restart, or are repaired. A server with eight GPUs takes up to 25 minutes to restart, and nodes that are upgraded restart one by one.
      pending: '30m',
      description: `${counted('node')} of ${SLURM} ${oneOrMany('does', 'do')} not respond to the scheduler.`,
      action: 'Read the reason with sinfo -R, and look for XID errors on the nodes.',
      link: { board: 'queue', panel: 'Nodes by state' },
    },
    {
      id: 'slurm-scheduler-stopped',
      title: 'Slurm scheduler stopped',
      severity: 'critical',
      query: `
          ${atEnd('jobsPending', WITHOUT_NODES, 'cluster_id')} > 0
          and ${NO_CYCLE}`,
      pending: '5m',
      description: `${counted('job')} of ${SLURM} ${oneOrMany('waits', 'wait')}, and its scheduler has had no cycle for 30 minutes.`,
      action: 'Read the log of slurmctld and sdiag, and restart slurmctld if it hangs.',
      link: { board: 'queue', panel: 'Idle nodes while jobs wait' },
    },
    {
      id: 'slurm-idle-pending',
      title: 'Nodes idle while jobs wait',
      severity: 'info',
      query: `
          100 * ${atEnd('slurmIdle', OF_SLURM, 'cluster_id')} / ${atEnd('slurmNodes', OF_SLURM, 'cluster_id')}
          and ${atEnd('jobsPending', OF_SLURM, 'cluster_id')} > 0`,
      above: 25,
      pending: '1h',
      description: `${fixed(0)} % of the nodes of ${SLURM} are idle while jobs wait.`,
      action: 'Read why with squeue: a limit of the user, a reservation, or a job that wants more nodes than are idle.',
      link: { board: 'queue', panel: 'Idle nodes while jobs wait' },
    },
  ],
};

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
      query: `topk(100, group by (${NODE_LABELS}, condition) (${copied(UNFIT, HOST_LABEL, 'node')}))`,
      pending: '10m',
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
      query: `topk(100, ${restarts('1h')} > 2.5 and on (${POD}) ${requested()})`,
      description: `A container of pod {{ $labels.namespace }}/{{ $labels.pod }}${OF_CLUSTER} has restarted ${fixed(0)} times within an hour, while the pod keeps its GPUs.`,
      action: 'Read why it ended with kubectl describe pod, and its log with kubectl logs --previous.',
      link: { board: 'queue', panel: 'Jobs and pods that wait, fail or restart', variables: { slurm_cluster: '' } },
    },
  ],
};
