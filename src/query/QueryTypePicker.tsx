import React from 'react';
import type { Service } from '../config/missing';
import type { GpuCloudQuery } from '../types';
import { Picker } from './Picker';
import { isFineTuningQuery, isMetricsQuery, isPlatformQuery } from '../queryTypes';

/** What a query is about. */
export type Kind = 'metrics' | 'fineTuning' | 'platform';

const KINDS: Array<{ value: Kind; label: string; icon: string; description: string }> = [
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
    description: 'What is to be had where, and any other list of the main API',
  },
];

/** The service of each kind of query. */
export const SERVICES: Record<Kind, Service> = {
  metrics: 'Metrics',
  fineTuning: 'Fine-tuning',
  platform: 'Main API',
};

interface Props {
  value: Kind | undefined;
  onChange: (kind: Kind) => void;
}

/** The first choice of every query. */
export function QueryTypePicker({ value, onChange }: Props) {
  return <Picker aria-label="Query" size="md" options={KINDS} value={value} onChange={onChange} />;
}

/** The kind of a query, if this version of the plugin has an editor for it. */
export function kindOf(query: GpuCloudQuery): Kind | undefined {
  if (isMetricsQuery(query)) {
    return 'metrics';
  }
  if (isPlatformQuery(query)) {
    return 'platform';
  }
  return isFineTuningQuery(query) ? 'fineTuning' : undefined;
}
