import React from 'react';
import { pick } from 'lodash';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import { Configured } from '../../config/Configured';
import { isAlerting, type FieldsProps } from '../definition';
import { useDrafts } from '../../fields/useDrafts';
import { JOB_OPTIONS } from '../jobFilters';
import { USUAL_EXPR } from './usualExpr';
import type { TrainingHealthFormat, TrainingHealthQuery } from './query';
import { Picker } from '../../fields/Picker';
import { TextOption } from '../../fields/TextOption';
import { FormatField, type Format } from '../../fields/FormatField';
import { ListField, ListRow } from '../../fields/ListField';

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
      // Without an expression, the query would be about all jobs.
      onChange={(expr) => expr && onChange({ ...query, expr })}
    />
  );
}

function ShownFields(props: FieldsProps<TrainingHealthQuery>) {
  const { format } = props.query;
  return (
    <>
      {(format === 'number' || format === 'annotations' || isAlerting(props.app)) && (
        <ListField {...props} option="findings" />
      )}
      {/* An annotation has its own format. */}
      {format !== 'annotations' && <FormatField {...props} formats={FORMATS} />}
    </>
  );
}
