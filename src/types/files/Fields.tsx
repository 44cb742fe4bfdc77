import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import type { TrainingFilesQuery } from './query';
import { ChoicesField } from '../../fields/ChoicesField';
import type { FieldsProps } from '../definition';

/** The purposes of data sets and of what jobs write, by the convention that gateways follow. */
const PURPOSES = ['fine-tune', 'fine-tune-results'].map((value) => ({ value }));

export function Fields({ query, onChange }: FieldsProps<TrainingFilesQuery>) {
  return (
    <EditorRow>
      <ChoicesField
        label={t('Purposes')}
        tooltip={t('What files were uploaded for. Data sets have the purpose fine-tune.')}
        placeholder={t('All purposes')}
        options={PURPOSES}
        values={query.purposes}
        onChange={(purposes) => onChange({ ...query, purposes })}
      />
    </EditorRow>
  );
}
