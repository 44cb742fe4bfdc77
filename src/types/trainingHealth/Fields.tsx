import React from 'react';
import { pick } from 'lodash';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { t, translated } from '../../i18n';
import { Configured } from '../../config/Configured';
import { isAlerting, type FieldsProps } from '../definition';
import { useDrafts } from '../../fields/useDrafts';
import { JOB_OPTIONS } from '../jobFilters';
import { USUAL_EXPR } from './usualExpr';
import type { FindingKind, TrainingHealthFormat, TrainingHealthQuery } from './query';
import { Picker } from '../../fields/Picker';
import { TextOption } from '../../fields/TextOption';
import { ChoicesField } from '../../fields/ChoicesField';
import { FormatField, type Format } from '../../fields/FormatField';
import { ListRow } from '../../fields/ListField';

type Source = 'jobs' | 'promql';

const SOURCES: Array<{ value: Source; label: string; description: string }> = [
  { value: 'jobs', label: 'Fine-tuning jobs', description: 'Each job is a run, with the curves that it reports' },
  {
    value: 'promql',
    label: 'PromQL',
    description: 'Each label set of a metric is a run, such as a pod’s training_loss',
  },
];

const FORMATS: Array<Format<TrainingHealthFormat>> = [
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
  { value: 'eta', label: 'Estimated finish', description: 'The seconds until the run finishes' },
];

/** What is of one source. */
const OF_SOURCE = ['expr', ...JOB_OPTIONS, 'metrics'] as const;

export function Fields(props: FieldsProps<TrainingHealthQuery>) {
  const { query, onChange, datasource } = props;
  const source: Source = query.expr ? 'promql' : 'jobs';
  const leave = useDrafts<Partial<TrainingHealthQuery>>('source of training health');
  const changeSource = (to: Source) => {
    const left = leave(source, pick(query, OF_SOURCE), to) ?? { expr: to === 'promql' ? USUAL_EXPR : undefined };
    onChange({ ...query, expr: undefined, ...left });
  };
  return (
    <>
      <EditorRow>
        <EditorField label={t('Runs from')}>
          <Picker aria-label={t('Runs from')} options={SOURCES} value={source} onChange={changeSource} />
        </EditorField>
      </EditorRow>
      <Configured setting={source === 'jobs' ? 'Fine-tuning' : 'Metrics'} datasource={datasource}>
        {source === 'jobs' ? (
          <ListRow {...props} options={[...JOB_OPTIONS, 'metrics']}>
            <ShownFields {...props} />
          </ListRow>
        ) : (
          <EditorRow>
            <ExpressionField query={query} onChange={onChange} />
            <ShownFields {...props} />
          </EditorRow>
        )}
      </Configured>
    </>
  );
}

type FieldProps = Pick<FieldsProps<TrainingHealthQuery>, 'query' | 'onChange'>;

function ExpressionField({ query, onChange }: FieldProps) {
  return (
    <TextOption
      label={t('PromQL')}
      tooltip={t(
        'Each label set of the result is a run. The name of the metric says whether lower or higher values are better.'
      )}
      example={USUAL_EXPR}
      width={52}
      value={query.expr ?? ''}
      required={t('Enter the metric to look at, such as {{example}}.', { example: USUAL_EXPR })}
      // Without an expression, the query would be about all jobs.
      onChange={(expr) => expr && onChange({ ...query, expr })}
    />
  );
}

function ShownFields({ query, onChange, app }: FieldsProps<TrainingHealthQuery>) {
  const { format = 'table' } = query;
  const isNumber = format === 'number' || isAlerting(app);
  return (
    <>
      {(isNumber || format === 'annotations') && (
        <ChoicesField
          label={t('Findings')}
          placeholder={t('All findings')}
          options={FINDINGS.filter(({ value }) => isNumber || value !== 'eta').map(translated)}
          values={query.findings}
          onChange={(findings) => onChange({ ...query, findings: findings as FindingKind[] | undefined })}
        />
      )}
      {/* An annotation has its own format. */}
      {format !== 'annotations' && <FormatField formats={FORMATS} query={query} onChange={onChange} app={app} />}
    </>
  );
}
