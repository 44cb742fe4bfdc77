import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t, translated } from '../../i18n';
import { MEASURES } from '../../catalog/measures';
import { isAlerting } from '../../queryTypes';
import type { RunsFormat, RunsQuery } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import { ChoicesField } from '../../fields/ChoicesField';
import { CustomMeasuresField } from '../../runs/CustomMeasuresField';
import { RunFields } from '../../runs/RunFields';
import type { FieldsProps } from '../definition';

const FORMATS: Array<{ value: RunsFormat; label: string; description: string }> = [
  { value: 'table', label: 'Table', description: 'A row for each run' },
  { value: 'number', label: 'Number', description: 'Numbers labeled by run, for stat panels and alert rules' },
];

const OPTIONS = MEASURES.map(({ id, label, description }) => ({ value: id, label, description }));

/** What of each run is measured. */
export function Fields(props: FieldsProps<RunsQuery>) {
  const { query, onChange, app } = props;
  return (
    <RunFields
      {...props}
      options={<CustomMeasuresField value={query.custom} onChange={(custom) => onChange({ ...query, custom })} />}
    >
      <EditorRow>
        <ChoicesField
          label={t('Measures')}
          wide
          placeholder={t('All measures that have a value')}
          options={OPTIONS.map(translated)}
          values={query.measures}
          onChange={(measures) => onChange({ ...query, measures })}
        />

        {/* An alert rule gets numbers in every format. */}
        {!isAlerting(app) && (
          <ChoiceField
            label={t('Format')}
            options={FORMATS}
            value={query.format ?? 'table'}
            onChange={(format) => onChange({ ...query, format })}
          />
        )}
      </EditorRow>
    </RunFields>
  );
}
