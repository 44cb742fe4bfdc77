import React from 'react';
import type { Service } from '../config/missing';
import type { GpuCloudQuery } from '../types';
import { Picker } from './Picker';
import { isFineTuningQuery, isMetricsQuery, isPlatformQuery } from '../queryTypes';

/** The service that a query goes to. */
export type QueryService = 'metrics' | 'fineTuning' | 'platform';

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
    value: 'platform',
    label: 'Capacity & API',
    icon: 'cloud',
    description: 'What is available where, and any other list of the main API',
  },
];

/** The names of the services on the settings page. */
export const SERVICES: Record<QueryService, Service> = {
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
  return <Picker aria-label="Query" size="md" options={OPTIONS} value={value} onChange={onChange} />;
}

/** The service of a query, if this version of the plugin has an editor for it. */
export function serviceOf(query: GpuCloudQuery): QueryService | undefined {
  if (isMetricsQuery(query)) {
    return 'metrics';
  }
  if (isPlatformQuery(query)) {
    return 'platform';
  }
  return isFineTuningQuery(query) ? 'fineTuning' : undefined;
}
