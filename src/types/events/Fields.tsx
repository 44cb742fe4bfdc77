import React from 'react';
import { t } from '../../i18n';
import type { FineTuningEventsQuery } from './query';
import { ChoicesField } from '../../fields/ChoicesField';
import type { FieldsProps } from '../definition';
import { JobsRow } from '../../fields/JobFilterFields';

/** Levels of events, by the convention that gateways follow. */
const LEVELS = ['info', 'warn', 'error'].map((value) => ({ value }));

export function Fields(props: FieldsProps<FineTuningEventsQuery>) {
  const { query, onChange } = props;
  return (
    <JobsRow {...props}>
      <ChoicesField
        label={t('Levels')}
        placeholder={t('All levels')}
        options={LEVELS}
        values={query.levels}
        onChange={(levels) => onChange({ ...query, levels })}
      />
    </JobsRow>
  );
}
