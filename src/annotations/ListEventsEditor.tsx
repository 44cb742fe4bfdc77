import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { PathIds } from '../platform/path';
import type { ListQuery } from '../platform/query';
import { EditorStack } from '../query/EditorStack';
import { ColumnsField } from '../query/platform/ColumnsField';
import { SourceFields } from '../query/platform/SourceFields';

interface Props {
  query: ListQuery;
  onChange: (query: ListQuery) => void;
  /** Which ids the settings have. */
  ids: PathIds;
}

/** Which list is drawn, and what of its items is an event's time, end, title, text and tags. */
export function ListEventsEditor({ query, onChange, ids }: Props) {
  return (
    <EditorStack>
      <SourceFields
        query={query}
        onChange={onChange}
        ids={ids}
        columnsOf={(list) => list.events}
        withColumns={(changed, columns) => ({ ...changed, columns })}
      />
      <EditorRow>
        <ColumnsField
          value={query.columns}
          onChange={(columns) => onChange({ ...query, columns })}
          tooltip="Events are made of the columns titled time, timeEnd, title, text and tags. Only time is needed."
        />
      </EditorRow>
    </EditorStack>
  );
}
