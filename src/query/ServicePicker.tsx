import React from 'react';
import type { Service } from '../config/missing';
import { Picker } from './Picker';
import type { QueryService } from '../queryTypes';

const OPTIONS: Array<{ value: QueryService; label: string; icon: string; description: string }> = [
  {
    value: 'metrics',
    label: 'Metrics',
    icon: 'graph-bar',
    description: 'GPUs, nodes, network and storage, in PromQL',
  },
  {
    value: 'fineTuning',
    label: 'Fine-tuning',
    icon: 'sliders-v-alt',
    description: 'Jobs, checkpoints, training curves, events and files',
  },
  {
    value: 'runs',
    label: 'Runs',
    icon: 'code-branch',
    description: 'Training runs side by side: their curves, GPU-hours, energy and cost',
  },
  {
    value: 'training',
    label: 'Training health',
    icon: 'heart-rate',
    description: 'What is wrong with training runs, since when, and when they will finish',
  },
  {
    value: 'platform',
    label: 'Capacity & API',
    icon: 'cloud',
    description: 'What is available where, and any other list of the main API',
  },
];

/** The names of the services on the settings page. Runs and training health come from two of them: their editors say which is missing. */
export const SERVICES: Record<Exclude<QueryService, 'runs' | 'training'>, Service> = {
  metrics: 'Metrics',
  fineTuning: 'Fine-tuning',
  platform: 'Main API',
};

interface Props {
  value: QueryService | undefined;
  onChange: (service: QueryService) => void;
}

/** The first choice of every query. */
export function ServicePicker({ value, onChange }: Props) {
  return <Picker aria-label="Query" options={OPTIONS} value={value} onChange={onChange} />;
}
