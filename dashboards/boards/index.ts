import type { GeneratedFolder } from '../generatedFile.ts';
import { carrying } from '../lib/links.ts';
import { capacity } from './capacity.ts';
import { gpuTime } from './gpuTime.ts';
import { health } from './health.ts';
import { jobs } from './jobs.ts';
import { network } from './network.ts';
import { node } from './node.ts';
import { overview } from './overview.ts';
import { queue } from './queue.ts';
import { runs } from './runs.ts';
import { stragglers } from './stragglers.ts';
import { usage } from './usage.ts';

/** Every dashboard of the plugin, by file name. */
export const boards = {
  overview,
  'gpu-time': gpuTime,
  usage,
  jobs,
  runs,
  node,
  stragglers,
  capacity,
  network,
  queue,
  health,
};

const made = carrying(Object.values(boards));

export type BoardName = keyof typeof boards;

export const dashboards: GeneratedFolder = {
  folder: 'src/dashboards',
  ending: '.json',
  isBuilt: true,
  files: Object.fromEntries(
    Object.keys(boards).map((name, index) => [name, `${JSON.stringify(made[index], null, 2)}\n`])
  ),
};
