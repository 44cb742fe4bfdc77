import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import type { GeneratedFolder } from '../generatedFile.ts';
import { capacity } from './capacity.ts';
import { cluster } from './cluster.ts';
import { custom } from './custom.ts';
import { fineTuning } from './fineTuning.ts';
import { gpu } from './gpu.ts';
import { gpuTime } from './gpuTime.ts';
import { health } from './health.ts';
import { home } from './home.ts';
import { infiniband } from './infiniband.ts';
import { loadBalancer } from './loadBalancer.ts';
import { node } from './node.ts';
import { objectStorage } from './objectStorage.ts';
import { placement } from './placement.ts';
import { runComparison } from './runComparison.ts';
import { runReport } from './runReport.ts';
import { slurm } from './slurm.ts';
import { storage } from './storage.ts';
import { stragglers } from './stragglers.ts';
import { trainingHealth } from './trainingHealth.ts';

/** Every dashboard of the plugin, by file name. */
export const boards = {
  'gpu-overview': home,
  cluster: cluster,
  node: node,
  gpu: gpu,
  'gpu-time': gpuTime,
  stragglers: stragglers,
  infiniband: infiniband,
  storage: storage,
  'object-storage': objectStorage,
  'load-balancer': loadBalancer,
  slurm: slurm,
  'fine-tuning': fineTuning,
  'training-health': trainingHealth,
  'run-comparison': runComparison,
  'run-report': runReport,
  'custom-metrics': custom,
  capacity: capacity,
  placement: placement,
  health: health,
};

export type BoardName = keyof typeof boards;

export const dashboards: GeneratedFolder = {
  folder: 'src/dashboards',
  ending: '.json',
  files: () =>
    Object.entries(boards).map(([name, board]) => ({
      path: `src/dashboards/${name}.json`,
      content: serialize(board().build()),
    })),
};

function serialize(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
