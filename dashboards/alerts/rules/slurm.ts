import { anyVendor, atEnd, WITHOUT_NODES } from '../../lib/quantities.ts';
import { now, threshold } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, oneOrMany } from '../texts.ts';

/** All clusters, by the platform's counts, or by soperator's exporter. */
const OF_SLURM = { ...WITHOUT_NODES, ofSoperator: true };

/** Soperator's exporter has no name of the cluster. */
const SLURM = '{{ with $labels.cluster_id }}Slurm cluster {{ . }}{{ else }}Slurm{{ end }}';

const CYCLE = anyVendor('slurm_schedule_cycle_last');

/** A scheduler that works has another length, in microseconds, of each cycle. */
const NO_CYCLE = `max by (cluster_id) (max_over_time(${CYCLE}[30m])) == max by (cluster_id) (min_over_time(${CYCLE}[30m]))`;

/** Clusters of which all nodes that are down are drained, as far as their nodes are known: these restart, or are repaired. */
const ALL_DRAINED = `slurm_node_info unless on (cluster_id) slurm_node_info{state_base="DOWN", state_is_drain!="true"}`;

export const slurm: RuleGroup = {
  name: 'Slurm',
  rules: [
    {
      id: 'slurm-nodes-down',
      title: 'Slurm nodes down',
      severity: 'warning',
      query: now(`${atEnd('slurmDown', OF_SLURM, 'cluster_id')} unless on (cluster_id) (${ALL_DRAINED})`),
      // A server with eight GPUs takes up to 25 minutes to restart, and nodes that are upgraded restart one by one.
      pending: '30m',
      summary: 'Fires when nodes that are not drained have not responded to the Slurm scheduler for half an hour.',
      description: `${counted('A', 'node')} of ${SLURM} ${oneOrMany('A', 'does', 'do')} not respond to the scheduler.`,
      action: 'Read the reason with sinfo -R, and look for XID errors on the nodes.',
      link: { board: 'queue', panel: 'Nodes by state' },
    },
    {
      id: 'slurm-scheduler-stopped',
      title: 'Slurm scheduler stopped',
      severity: 'critical',
      query: now(`
          ${atEnd('jobsPending', WITHOUT_NODES, 'cluster_id')} > 0
          and ${NO_CYCLE}`),
      pending: '5m',
      summary: 'Fires when Slurm’s scheduler has had no cycle for 30 minutes while jobs wait.',
      description: `${counted('A', 'job')} of ${SLURM} ${oneOrMany('A', 'waits', 'wait')}, and its scheduler has had no cycle for 30 minutes.`,
      action: 'Read the log of slurmctld and sdiag, and restart slurmctld if it hangs.',
      link: { board: 'queue', panel: 'Idle nodes while jobs wait' },
    },
    {
      id: 'slurm-idle-pending',
      title: 'Nodes idle while jobs wait',
      severity: 'info',
      query: now(`
          100 * ${atEnd('slurmIdle', OF_SLURM, 'cluster_id')} / ${atEnd('slurmNodes', OF_SLURM, 'cluster_id')}
          and ${atEnd('jobsPending', OF_SLURM, 'cluster_id')} > 0`),
      conditions: [threshold('A', 'gt', 25)],
      pending: '1h',
      summary: 'Fires when jobs wait for an hour while more than a quarter of the nodes are idle.',
      description: `${fixed('A', 0)} % of the nodes of ${SLURM} are idle while jobs wait.`,
      action: 'Read why with squeue: a limit of the user, a reservation, or a job that wants more nodes than are idle.',
      link: { board: 'queue', panel: 'Idle nodes while jobs wait' },
    },
  ],
};
