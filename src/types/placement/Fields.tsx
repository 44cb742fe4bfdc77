import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import { countUpTo } from '../../config/validation';
import type { PlacementFormat, PlacementQuery } from './query';
import type { FieldsProps } from '../definition';
import { ListField } from '../../fields/ListField';
import { TextOption } from '../../fields/TextOption';
import { FormatField, type Format } from '../../fields/FormatField';

const FORMATS: Array<Format<PlacementFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each place, the best first, with why it is not enough' },
  { value: 'answer', label: 'Answer', description: 'Yes or no, and where, in a sentence for a stat panel' },
  { value: 'number', label: 'Number', description: 'How many GPUs each place has, for stat panels and alert rules' },
  { value: 'nodes', label: 'Free GPUs', description: 'A row for each own node with free GPUs' },
];

const gpusError = countUpTo(100_000);

export function Fields(props: FieldsProps<PlacementQuery>) {
  const { query, onChange } = props;
  // Numbers are what is possible anyway.
  const needsGpus = ['table', 'answer'].includes(query.format ?? 'table');
  return (
    <EditorRow>
      {needsGpus && (
        <TextOption
          label={t('GPUs wanted')}
          tooltip={t('In one place. From 1 to 100,000; dashboard variables work.')}
          example="64"
          width={12}
          value={String(query.gpus ?? '')}
          check={gpusError}
          onChange={(gpus) => onChange({ ...query, gpus: gpus || undefined })}
        />
      )}
      <ListField {...props} option="types" />
      <ListField {...props} option="locations" />
      <FormatField {...props} formats={FORMATS} />
    </EditorRow>
  );
}
