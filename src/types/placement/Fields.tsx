import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t } from '../../i18n';
import { needsGpus } from './needsGpus';
import type { PlacementFormat, PlacementQuery } from './query';
import type { FieldsProps } from '../definition';
import { ListField } from '../../fields/ListField';
import { TextOption } from '../../fields/TextOption';
import { FormatField, type Format } from '../../fields/FormatField';

const FORMATS: Array<Format<PlacementFormat>> = [
  { value: 'table', label: 'Table', description: 'A row for each place, the best first, with why it is not enough' },
  { value: 'answer', label: 'Answer', description: 'Yes or no, and where, in a sentence for a stat panel' },
  { value: 'number', label: 'Number', description: 'How many GPUs each place has, for stat panels and alert rules' },
  { value: 'nodes', label: 'Idle nodes', description: 'A row for each own node that is idle' },
];

/** How many GPUs are wanted, and of which types and where they may be. */
export function Fields({ query, onChange, datasource, app }: FieldsProps<PlacementQuery>) {
  return (
    <EditorRow>
      {needsGpus(query.format) && (
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
      <ListField option="types" query={query} onChange={onChange} datasource={datasource} />
      <ListField option="locations" query={query} onChange={onChange} datasource={datasource} />
      <FormatField formats={FORMATS} query={query} onChange={onChange} app={app} />
    </EditorRow>
  );
}

/** Says what is wrong with a number of GPUs. A dashboard variable may be any number. */
function gpusError(text: string): string | undefined {
  if (text.includes('$') || text.includes('[[')) {
    return undefined;
  }
  const gpus = Number(text);
  return text.trim() && Number.isInteger(gpus) && gpus >= 1 && gpus <= MAX_GPUS
    ? undefined
    : t('Enter a whole number from 1 to 100,000.');
}

const MAX_GPUS = 100_000;
