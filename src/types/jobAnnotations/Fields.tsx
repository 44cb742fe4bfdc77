import React from 'react';
import { t } from '../../i18n';
import type { FineTuningAnnotationsQuery, JobsDrawing } from './query';
import { ChoiceField } from '../../fields/ChoiceField';
import type { FieldsProps } from '../definition';
import { ListRow } from '../../fields/ListField';
import { JOB_OPTIONS } from '../jobFilters';

const DRAWINGS: Array<{ value: JobsDrawing; label: string; description: string }> = [
  {
    value: 'automatic',
    label: 'Automatic',
    description: 'Regions where few jobs overlap, else points. Leaves out what would cover a panel, never a failure',
  },
  { value: 'points', label: 'Points', description: 'A point where a job was created and one where it ended' },
  { value: 'regions', label: 'Regions', description: 'A region from the creation of a job to its end' },
];

export function Fields(props: FieldsProps<FineTuningAnnotationsQuery>) {
  const { query, onChange } = props;
  return (
    <>
      <ListRow {...props} options={['show']}>
        <ChoiceField
          label={t('Draw jobs as')}
          tooltip={t('Points and regions draw everything, checkpoints included.')}
          options={DRAWINGS}
          value={query.draw ?? 'automatic'}
          onChange={(draw) => onChange({ ...query, draw: draw === 'automatic' ? undefined : draw })}
        />
      </ListRow>
      <ListRow {...props} options={JOB_OPTIONS} />
    </>
  );
}
