import React, { useState } from 'react';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import type { CoreApp } from '@grafana/data';
import { Text } from '@grafana/ui';
import { Configured } from '../../config/Configured';
import type { GpuCloud } from '../../GpuCloud';
import { isAlerting } from '../../queryTypes';
import { USUAL_EXPR } from '../../training/newQuery';
import type { FindingKind, TrainingHealthFormat, TrainingHealthQuery } from '../../training/query';
import { ChoiceField } from '../ChoiceField';
import { Picker } from '../Picker';
import { TextOption } from '../platform/TextOption';
import { ChoicesField } from '../tuning/ChoicesField';
import { USUAL_METRICS } from '../tuning/CurvesFields';
import { JobFilterFields } from '../tuning/JobFilterFields';

type Source = 'jobs' | 'promql';

const SOURCES: Array<{ value: Source; label: string; description: string }> = [
  { value: 'jobs', label: 'Fine-tuning jobs', description: 'Each job is a run, with the curves that it reports' },
  {
    value: 'promql',
    label: 'PromQL',
    description: 'Each label set of a metric is a run, such as a pod’s training_loss',
  },
];

const FORMATS: Array<{ value: TrainingHealthFormat; label: string; description: string }> = [
  { value: 'table', label: 'Findings', description: 'A row for each finding, the most urgent first' },
  { value: 'eta', label: 'Estimated finish', description: 'A row for each run that goes on' },
  { value: 'number', label: 'Number', description: '1 or 0 for each finding, for alert rules' },
];

const FINDINGS: Array<{ value: FindingKind; label: string; description: string }> = [
  { value: 'notFinite', label: 'Not finite', description: 'Values are not a number, or not reported any more' },
  { value: 'diverging', label: 'Diverging', description: 'The metric left its best value and does not come back' },
  { value: 'stalled', label: 'Stalled', description: 'No step comes for much longer than usual' },
  { value: 'late', label: 'Late', description: 'The run finishes after its estimate' },
  { value: 'overfitting', label: 'Overfitting', description: 'Validation worsens while training improves' },
  { value: 'plateau', label: 'Plateau', description: 'The metric hardly improves any more' },
  { value: 'spike', label: 'Spike', description: 'A value stands out from those before it' },
];

const SECONDS_LEFT: (typeof FINDINGS)[number] = {
  value: 'eta',
  label: 'Estimated finish',
  description: 'The seconds until the run finishes',
};

interface Props {
  query: TrainingHealthQuery;
  /** Saves the query and runs it. */
  onChange: (query: TrainingHealthQuery) => void;
  datasource: GpuCloud;
  app?: CoreApp;
}

/** Which runs are looked at, and what is shown of what was found. */
export function TrainingFields({ query, onChange, datasource, app }: Props) {
  // A query without an expression is about jobs, so that PromQL was chosen is known here alone until one is entered.
  const [chosen, setChosen] = useState<Source>();
  const source: Source = query.expr ? 'promql' : (chosen ?? 'jobs');
  const changeSource = (to: Source) => {
    setChosen(to);
    if (to === 'jobs') {
      const { expr: _, ...rest } = query;
      onChange(rest);
    }
  };
  return (
    <>
      <EditorRow>
        <EditorField label="Runs from">
          <Picker aria-label="Runs from" options={SOURCES} value={source} onChange={changeSource} />
        </EditorField>
      </EditorRow>
      <Configured service={source === 'jobs' ? 'Fine-tuning' : 'Metrics'} datasource={datasource}>
        <EditorRow>
          {source === 'jobs' ? (
            <JobFilterFields query={query} onChange={onChange} gateway={datasource.gateway} />
          ) : (
            <ExpressionField
              query={query}
              onChange={({ jobIds: _, statuses: __, models: ___, ...changed }) => onChange(changed)}
            />
          )}
          <ShownFields query={query} onChange={onChange} app={app} ofJobs={source === 'jobs'} />
        </EditorRow>
        {source === 'promql' && !query.expr && (
          <EditorRow>
            <Text color="secondary">Enter the metric to look at, such as {USUAL_EXPR}.</Text>
          </EditorRow>
        )}
      </Configured>
    </>
  );
}

type FieldProps = Pick<Props, 'query' | 'onChange'>;

function ExpressionField({ query, onChange }: FieldProps) {
  return (
    <TextOption
      label="PromQL"
      tooltip="Each label set of the result is a run. The name of the metric says whether lower or higher values are better."
      placeholder={USUAL_EXPR}
      width={52}
      value={query.expr ?? ''}
      onChange={(expr) => onChange({ ...query, expr })}
    />
  );
}

const METRICS = USUAL_METRICS.map((value) => ({ value }));

function ShownFields({ query, onChange, app, ofJobs }: FieldProps & { app?: CoreApp; ofJobs: boolean }) {
  const { format = 'table' } = query;
  const isNumber = format === 'number' || isAlerting(app);
  const { findings: _, ...withoutFindings } = query;
  return (
    <>
      {ofJobs && (
        <ChoicesField
          label="Metrics"
          itemLabel="metric"
          tooltip="Losses, accuracies and other metrics that the jobs report."
          placeholder="All losses and accuracies"
          options={METRICS}
          values={query.metrics}
          onChange={(metrics) => onChange({ ...query, metrics })}
        />
      )}
      {(isNumber || format === 'annotations') && (
        <ChoicesField
          label="Findings"
          itemLabel="finding"
          placeholder="All findings"
          options={isNumber ? [...FINDINGS, SECONDS_LEFT] : FINDINGS}
          values={query.findings}
          onChange={(findings) => onChange({ ...query, findings: findings as FindingKind[] | undefined })}
        />
      )}
      {/* An alert rule gets numbers in every format, and an annotation has its own. */}
      {!isAlerting(app) && format !== 'annotations' && (
        <ChoiceField
          label="Format"
          options={FORMATS}
          value={format}
          onChange={(to) => onChange(to === 'number' ? { ...query, format: to } : { ...withoutFindings, format: to })}
        />
      )}
    </>
  );
}
