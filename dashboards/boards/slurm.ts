import { board } from '../lib/board.ts';
import { badIfAny, lookIfAny, neutral } from '../lib/display.ts';
import { SLURM } from '../lib/families.ts';
import { graph, numbers, type GraphSpec } from '../lib/panels.ts';
import { average, highest, vendor } from '../lib/promql.ts';
import { instant, range } from '../lib/queries.ts';
import { prefix, several } from '../lib/variables.ts';

const slurmOf = (metric: string) => `${vendor(`slurm_${metric}`)}{cluster_id=~"$slurm_cluster"}`;
const sum = (metric: string) => `sum(${slurmOf(metric)})`;
/** Over each step of a chart. */
const mean = (metric: string) => `sum(${average(slurmOf(metric))})`;
const most = (metric: string) => `max(${highest(slurmOf(metric))})`;

const STATES: Array<[metric: string, name: string, color: string]> = [
  ['nodes_alloc', 'Allocated', 'green'],
  ['nodes_mixed', 'Partly allocated', 'blue'],
  ['nodes_idle', 'Idle', 'yellow'],
  ['nodes_drain', 'Drained', 'orange'],
  ['nodes_down', 'Down', 'red'],
];

const now = numbers({
  description: 'Nodes and jobs of the chosen clusters. Failed jobs are those of the past day, as Slurm counts them.',
  family: SLURM,
  width: 24,
  unit: 'none',
  queries: [
    instant(sum('nodes'), 'Nodes'),
    instant(`${sum('nodes_alloc')} / ${sum('nodes')}`, 'Allocated'),
    instant(sum('nodes_down'), 'Down'),
    instant(sum('nodes_drain'), 'Drained'),
    instant(sum('jobs_running'), 'Running'),
    instant(sum('jobs_pending'), 'Pending'),
    instant(`${sum('jobs_failed')} + ${sum('jobs_outofmemory')} + ${sum('jobs_timeout')}`, 'Failed'),
  ],
  looks: {
    Allocated: { unit: 'percentunit', decimals: 0, steps: neutral },
    Down: { steps: badIfAny },
    Drained: {
      steps: lookIfAny,
    },
    Failed: {
      steps: lookIfAny,
    },
  },
});

const lines = (title: string, description: string, queries: GraphSpec['queries'], more: Partial<GraphSpec> = {}) =>
  graph({ title, description, family: SLURM, width: 12, unit: 'none', min: 0, queries, ...more });

export const slurm = () =>
  board({
    uid: 'gpucloud-slurm',
    title: 'Slurm',
    description: 'Queue, nodes and scheduler of managed Slurm clusters.',
    variables: [prefix(), several('slurm_cluster', 'Slurm cluster', '${prefix}_slurm_nodes', 'cluster_id')],
    sections: [
      {
        panels: [
          now,
          lines(
            'Nodes by state',
            'Nodes that are drained or down take no jobs. The areas add up to all nodes; a state that no node is in has none.',
            STATES.map(([metric, name]) => range(mean(metric), name)),
            {
              stacked: true,
              looks: Object.fromEntries(STATES.map(([, name, color]) => [name, { color, fill: 70, lineWidth: 0 }])),
            }
          ),
          lines('Jobs', 'Running, and waiting. Idle nodes while jobs wait: they need what is not there.', [
            range(mean('jobs_running'), 'Running'),
            range(mean('jobs_pending'), 'Pending'),
          ]),
          lines(
            'Pending by partition',
            'Where jobs wait.',
            [range(`sum by (partition) (${average(slurmOf('partition_jobs_pending'))})`, '{{partition}}')],
            { stacked: true }
          ),
          lines('Failed in the past day', 'By the reason that Slurm gives.', [
            range(mean('jobs_failed'), 'Failed'),
            range(mean('jobs_outofmemory'), 'Out of memory'),
            range(mean('jobs_timeout'), 'Timed out'),
          ]),
        ],
      },
      {
        title: 'Scheduler',
        panels: [
          lines(
            'Scheduling cycle',
            'How long the scheduler takes for a round. It grows with the queue.',
            [range(most('sched_mean_cycle'), 'Mean'), range(most('schedule_cycle_last'), 'Last')],
            { unit: 'µs' }
          ),
          lines(
            'Backfill depth',
            'Jobs that a round of backfilling looked at, on average. Far less than are pending: jobs further down are never tried.',
            [range(most('bf_depth_mean'), 'Jobs looked at'), range(mean('jobs_pending'), 'Pending')]
          ),
          lines(
            'Processors of nodes',
            'That Slurm manages, over all nodes.',
            [range(mean('node_cpus'), 'Processors')],
            {
              width: 24,
              height: 6,
            }
          ),
        ],
      },
    ],
  });
