import { type GeneratedFolder } from '../generatedFile.ts';
import { type RuleFile } from './rule.ts';
import { gpu } from './rules/gpu.ts';
import { slowFaults } from './rules/gpuFaults.ts';
import { gpuTime } from './rules/gpuTime.ts';
import { infiniband, loadBalancer } from './rules/network.ts';
import { capacity, project } from './rules/project.ts';
import { reachability } from './rules/reachability.ts';
import { kubernetes, slurm } from './rules/schedulers.ts';
import { storage } from './rules/storage.ts';
import { stragglers } from './rules/stragglers.ts';
import { customMetrics, fineTuning, runs } from './rules/training.ts';
import { fileOf } from './yaml.ts';

/** Every alert rule, in a file for each thing that a deployment may not have. */
const ruleFiles: RuleFile[] = [
  {
    name: 'metrics',
    needs: 'Needs the metrics service: base address, project id and monitoring token.',
    groups: [reachability, gpu, slowFaults, stragglers, gpuTime, infiniband, storage, loadBalancer, slurm, kubernetes],
  },
  {
    name: 'fine-tuning',
    needs: 'Needs the tuning gateway: gateway address and inference API key.',
    groups: [fineTuning],
  },
  {
    name: 'runs',
    needs:
      'Needs the tuning gateway, the metrics service, and for the budget the prices in the settings. Jobs name their pod, their nodes or their node pool in their metadata.',
    groups: [runs],
  },
  {
    name: 'custom-metrics',
    needs: 'Needs the metrics service, and pods that export training_loss: change the name to that of your metric.',
    groups: [customMetrics],
  },
  {
    name: 'project',
    needs: 'Needs the main API: access key id and secret key; for shared disks the metrics service, too.',
    groups: [project],
  },
  {
    name: 'capacity',
    needs:
      'For those who wait for GPUs: fires for as long as there is room. Needs the main API: access key id and secret key; for own nodes the metrics service, too. Put the GPU type that you wait for in types.',
    groups: [capacity],
  },
];

export const alerts: GeneratedFolder = {
  folder: 'provisioning/alerting',
  ending: '.yaml',
  files: Object.fromEntries(ruleFiles.map((file) => [file.name, fileOf(file)])),
};
