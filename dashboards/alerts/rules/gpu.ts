import { WINDOW } from '../../lib/stragglers.ts';
import { GPU_LABELS, named, NODE_LABELS } from '../../lib/host.ts';
import { anywhere, over } from '../../lib/promql.ts';
import { quantity } from '../../../src/catalog/quantities.ts';
import { EVERYTHING } from '../../lib/quantities.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE, OF_CLUSTER, oneOrMany } from '../texts.ts';
import { faults } from './gpuFaults.ts';

// A rule keeps a state for each label set that its query returns. `topk` and filters keep that few on thousands of GPUs.

const mean = (metric: string): string => over('avg_over_time', anywhere(metric), '5m');

/** Some degrees below those at which GPUs slow themselves down. */
const HOT = named(`(${mean('DCGM_FI_DEV_GPU_TEMP')} > 83 or ${mean('DCGM_FI_DEV_MEMORY_TEMP')} > 95)`);

/** Those within the time over which clocks are compared: what they lost is explained. */
export const HOT_LATELY = `max_over_time(group by (${GPU_LABELS}) (${HOT})[25m:5m])`;

/** GPUs that their counter of heat, in nanoseconds, says are slowed down for more than 5 % of the time. */
const SLOWED_BY_HEAT = named(`(rate(${anywhere('DCGM_FI_DEV_THERMAL_VIOLATION')}[${WINDOW}]) > 0.05 * 1e9)`);

const HEAT = `group by (${GPU_LABELS}) (${HOT} or ${SLOWED_BY_HEAT})`;

/** From so many nodes on it is what they share: two may be two machines. */
const SEVERAL = 3;
const IN_ROOM = `100 * count by (cluster_id) (${HEAT}) / ${quantity('gpus', EVERYTHING, 'cluster_id', '10m')}
  and count by (cluster_id) (count by (${NODE_LABELS}) (${HEAT})) >= ${SEVERAL}`;
const MANY = 5;

export const gpu: RuleGroup = {
  name: 'GPU',
  rules: [
    {
      id: 'gpu-hot',
      title: 'GPU hot',
      severity: 'critical',
      query: `
          topk(100,
            count by (${NODE_LABELS}) (group by (${GPU_LABELS}) (${HOT})) unless on (cluster_id) ((${IN_ROOM}) > ${MANY})
          )`,
      pending: '5m',
      keepFiringFor: '1h',
      description: `${counted('GPU')} of ${NODE} ${oneOrMany('is', 'are')} above 83 °C, or 95 °C in memory, on average over 5 minutes.`,
      action: oneOrMany(
        'Move the job to another node: the GPU slows itself down, or will. Report it: the others of its node are cool.',
        'Move the job to another node: the GPUs slow themselves down, or will. Report the cooling of the node.'
      ),
      link: { board: 'node', panel: 'Power, means, and highest heat' },
    },
    ...faults,
    {
      id: 'gpus-throttled',
      title: 'Many GPUs hot',
      severity: 'critical',
      query: IN_ROOM,
      above: MANY,
      pending: '5m',
      keepFiringFor: '1h',
      description: `${fixed(0)} % of the GPUs${OF_CLUSTER} are hot, on three nodes or more.`,
      action: 'Report it to the platform: so many at once are the cooling of the room, not of a machine.',
      link: { board: 'stragglers', panel: 'GPUs that heat slows down' },
    },
  ],
};
