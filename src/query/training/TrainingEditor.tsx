import React from 'react';
import { pickOwnFields } from '../../saved/ownFields';
import type { TrainingHealthQuery } from '../../training/query';
import { EditorStack } from '../EditorStack';
import type { GpuCloudQueryEditorProps } from '../editorProps';
import { TrainingFields } from './TrainingFields';

interface Props extends GpuCloudQueryEditorProps {
  query: TrainingHealthQuery;
}

/** Training health: which runs, and what of it. Every change runs the query. */
export function TrainingEditor({ query, onChange, onRunQuery, datasource, app }: Props) {
  const change = (changed: TrainingHealthQuery) => {
    onChange(pickOwnFields(changed));
    onRunQuery();
  };
  return (
    <EditorStack>
      <TrainingFields query={query} onChange={change} datasource={datasource} app={app} />
    </EditorStack>
  );
}
