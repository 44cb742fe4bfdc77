import React, { type PropsWithChildren } from 'react';
import { omit, pick } from 'lodash';
import type { DataQuery } from '@grafana/schema';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { t } from '../i18n';
import { Configured } from '../config/Configured';
import { useDrafts } from '../fields/useDrafts';
import type { FieldsProps } from '../types/definition';
import { JOB_OPTIONS } from '../types/jobFilters';
import {
  BLANK_SOURCES,
  type ChosenRuns,
  type ManualRun,
  type RunSource,
  type SeriesRuns,
  type SourceKind,
} from '../types/runSource';
import type { GpuCloud } from '../GpuCloud';
import { Picker } from '../fields/Picker';
import { TextOption } from '../fields/TextOption';
import { ChoicesField } from '../fields/ChoicesField';
import { ListRow } from '../fields/ListField';
import { RowsField } from '../fields/Rows';
import { textColumn } from '../fields/textColumn';
import { durationError } from '../config/validation';

const KINDS: Array<{ value: SourceKind; label: string; description: string }> = [
  { value: 'fineTuning', label: 'Fine-tuning jobs', description: 'Each job is a run' },
  {
    value: 'series',
    label: 'PromQL series',
    description: 'Each label set of a metric is a run, such as a pod’s training_loss',
  },
  { value: 'manual', label: 'By hand', description: 'Names and times that you enter' },
];

interface Props<Query> extends Pick<FieldsProps<DataQuery>, 'datasource'> {
  query: Query;
  onChange: (query: Query) => void;
}

/** What is of one kind of source. */
const OF_SOURCE = ['source', 'runs', 'baseline', 'metric'];

/** What a run is, and which runs there are. Further fields are shown if the source is configured. */
export function RunSourceFields<Query extends ChosenRuns>(props: PropsWithChildren<Props<Query>>) {
  const { query, onChange, datasource, children } = props;
  const { source } = query;
  const leave = useDrafts<Partial<Query>>('source of runs');
  const changeKind = (kind: SourceKind) => {
    const left = leave(source.kind, pick(query, OF_SOURCE), kind);
    // The chosen runs are not among those of another source.
    onChange({ ...omit(query, OF_SOURCE), source: BLANK_SOURCES[kind], ...left } as Query);
  };
  return (
    <>
      <EditorRow>
        <EditorField label={t('Runs from')}>
          <Picker aria-label={t('Runs from')} options={KINDS} value={source.kind} onChange={changeKind} />
        </EditorField>
      </EditorRow>
      <Configured setting={source.kind === 'fineTuning' ? 'Fine-tuning' : 'Metrics'} datasource={datasource}>
        <OneSourceFields
          source={source}
          onChange={(changed) => onChange({ ...query, source: changed })}
          datasource={datasource}
        />
        {children}
      </Configured>
    </>
  );
}

const MANUAL_RUNS = [
  textColumn<ManualRun>({ title: 'Name', member: 'name', example: 'batch-64' }),
  textColumn<ManualRun>({ title: 'From', member: 'from', example: '2026-03-01T08:00:00Z' }),
  textColumn<ManualRun>({ title: 'To (empty: still running)', member: 'to', example: 'now-1h' }),
];

const BLANK_RUN: ManualRun = { name: '', from: '', to: '' };

interface SourceProps {
  source: RunSource;
  onChange: (source: RunSource) => void;
  datasource: GpuCloud;
}

/** The fields of each kind of source. */
function OneSourceFields({ source, onChange, datasource }: SourceProps) {
  switch (source.kind) {
    case 'fineTuning':
      return <ListRow query={source} onChange={onChange} datasource={datasource} options={JOB_OPTIONS} />;
    case 'series':
      return <SeriesFields source={source} onChange={onChange} />;
    case 'manual':
      return (
        <EditorRow>
          <RowsField
            label={t('Runs by hand')}
            tooltip={t(
              'Times are RFC 3339, milliseconds since 1970, or relative such as now-1d. All may be dashboard variables.'
            )}
            itemLabel={t('run')}
            columns={MANUAL_RUNS}
            items={source.runs}
            onChange={(runs = []) => onChange({ ...source, runs })}
            blank={BLANK_RUN}
            required="name"
          />
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
        label={t('Series')}
        tooltip={t('PromQL. A run lasts from the first sample of its label set in the time range to the last.')}
        example='training_loss{metrics_source="custom-metrics"}'
        width={52}
        value={source.expr}
        onChange={(expr) => onChange({ ...source, expr })}
      />
      <ChoicesField
        label={t('A run for each')}
        tooltip={t('The labels that distinguish runs.')}
        placeholder={USUAL_LABELS[0].value}
        options={USUAL_LABELS}
        values={source.by}
        onChange={(by) => onChange({ ...source, by: by ?? [] })}
      />
      <TextOption
        label={t('Longest gap')}
        tooltip={t(
          'A longer time without a sample ends a run, and the next sample begins another one. 10m if it is empty.'
        )}
        example="10m"
        width={12}
        value={source.maxGap ?? ''}
        check={durationError}
        onChange={(maxGap) => onChange({ ...source, maxGap: maxGap || undefined })}
      />
    </EditorRow>
  );
}
