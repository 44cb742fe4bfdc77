import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { t } from '../i18n';
import type { ListQuery } from '../types/list/query';
import type { FieldsProps } from '../types/definition';
import { ColumnsField } from '../types/list/ColumnsField';
import { SourceFields } from '../types/list/SourceFields';

/** Which list is drawn, and what of its items is an event's time, end, title, text and tags. */
export function ListEventsFields({ query, onChange }: FieldsProps<ListQuery>) {
  return (
    <>
      <SourceFields
        query={query}
        onChange={onChange}
        columnsOf={(list) => list.events}
        withColumns={(changed, columns) => ({ ...changed, columns })}
      />
      <EditorRow>
        <ColumnsField
          value={query.columns}
          onChange={(columns) => onChange({ ...query, columns })}
          tooltip={t('Events are made of the columns titled time, timeEnd, title, text and tags. Only time is needed.')}
        />
      </EditorRow>
    </>
  );
}
