import React from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { BLANK_SOURCES } from '../../runs/readSource';
import type { RunSource, SeriesRuns, SourceKind } from '../../runs/query';
import type { Gateway } from '../../tuning/Gateway';
import { Picker } from '../Picker';
import { TextOption } from '../platform/TextOption';
import { ChoicesField } from '../tuning/ChoicesField';
import { JobFilterFields } from '../tuning/JobFilterFields';
import { ManualRunsField } from './ManualRunsField';
import { durationError } from '../../config/validation';

const KINDS: Array<{ value: SourceKind; label: string; description: string }> = [
  { value: 'fineTuning', label: 'Fine-tuning jobs', description: 'Each job is a run' },
  {
    value: 'series',
    label: 'PromQL series',
    description: 'Each label set of a metric is a run, such as a pod’s training_loss',
  },
  { value: 'manual', label: 'By hand', description: 'Names and times that you enter' },
];

interface Props {
  source: RunSource;
  onChange: (source: RunSource) => void;
}

/** The first choice about runs: what a run is. */
export function SourceKindField({ source, onChange }: Props) {
  return (
    <EditorRow>
      <EditorField label="Runs from">
        <Picker
          aria-label="Runs from"
          options={KINDS}
          value={source.kind}
          onChange={(kind) => onChange(BLANK_SOURCES[kind])}
        />
      </EditorField>
    </EditorRow>
  );
}

/** The fields of each kind of source. */
export function RunSourceFields({ source, onChange, gateway }: Props & { gateway: Gateway }) {
  switch (source.kind) {
    case 'fineTuning':
      return (
        <EditorRow>
          <JobFilterFields query={source} onChange={onChange} gateway={gateway} />
        </EditorRow>
      );
    case 'series':
      return <SeriesFields source={source} onChange={onChange} />;
    case 'manual':
      return (
        <EditorRow>
          <ManualRunsField value={source.runs} onChange={(runs) => onChange({ ...source, runs })} />
        </EditorRow>
      );
    default:
      return null;
  }
}

/** Labels that the metrics of training programs often have. */
const USUAL_LABELS = ['pod_name', 'pod', 'job_id', 'run_id', 'slurm_job_id', 'instance'].map((value) => ({ value }));

function SeriesFields({ source, onChange }: { source: SeriesRuns; onChange: (source: SeriesRuns) => void }) {
  return (
    <EditorRow>
      <TextOption
        label="Series"
        tooltip="PromQL. A run lasts from the first sample of its label set in the time range to the last."
        placeholder='training_loss{metrics_source="custom-metrics"}'
        width={52}
        value={source.expr}
        onChange={(expr) => onChange({ ...source, expr })}
      />
      <ChoicesField
        label="A run for each"
        itemLabel="label"
        tooltip="The labels that distinguish runs."
        placeholder="pod_name"
        options={USUAL_LABELS}
        values={source.by}
        onChange={(by) => onChange({ ...source, by: by ?? [] })}
      />
      <TextOption
        label="Longest gap"
        tooltip="A longer time without a sample ends a run, and the next sample begins another one. 10m if it is empty."
        placeholder="10m"
        width={12}
        value={source.maxGap ?? ''}
        check={(gap) => (gap && !gap.startsWith('$') ? durationError(gap) : undefined)}
        onChange={(maxGap) => onChange({ ...source, maxGap: maxGap || undefined })}
      />
    </EditorRow>
  );
}
