import React, { type ComponentType } from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { QUERY_TYPES, typesOffered, withAlertFormat } from '../../queryTypes';
import { pickOwnFields } from '../../saved/ownFields';
import { switchType } from '../../tuning/switchType';
import type { FineTuningQuery, FineTuningType, QueryOf } from '../../types';
import { ChoiceGroup } from '../ChoiceGroup';
import { EditorStack } from '../EditorStack';
import type { GpuCloudQueryEditorProps } from '../editorProps';
import { AnnotationsFields } from './AnnotationsFields';
import { CheckpointsFields } from './CheckpointsFields';
import { CurvesFields } from './CurvesFields';
import { EventsFields } from './EventsFields';
import { FilesFields } from './FilesFields';
import { JobsFields } from './JobsFields';
import { NoJobsHint } from './NoJobsHint';
import type { FieldsProps } from './fieldsProps';

/** The editor of each type. */
const FIELDS: { [Type in FineTuningType]: ComponentType<FieldsProps<QueryOf<Type>>> } = {
  fineTuningJobs: JobsFields,
  fineTuningCheckpoints: CheckpointsFields,
  fineTuningCurves: CurvesFields,
  fineTuningEvents: EventsFields,
  trainingFiles: FilesFields,
  fineTuningAnnotations: AnnotationsFields,
};

interface Props extends GpuCloudQueryEditorProps {
  query: FineTuningQuery;
}

/** Fine-tuning: what to show, and of which jobs. Every change runs the query. */
export function FineTuningEditor({ query, onChange, onRunQuery, datasource, app, data, range }: Props) {
  // The table pairs each type with its editor, which TypeScript can't follow through a variable.
  const Fields = FIELDS[query.queryType] as ComponentType<FieldsProps<FineTuningQuery>>;
  const change = (changed: FineTuningQuery) => {
    onChange(pickOwnFields(changed));
    onRunQuery();
  };

  return (
    <EditorStack>
      <EditorRow>
        <ChoiceGroup
          aria-label="Show"
          options={typesOffered(query, app).map((value) => ({ value, label: QUERY_TYPES[value].label }))}
          value={query.queryType}
          onChange={(type) => change(withAlertFormat(app, switchType(query, type)))}
        />
      </EditorRow>
      <Fields query={query} onChange={change} gateway={datasource.gateway} app={app} data={data} />
      <NoJobsHint query={query} datasource={datasource} app={app} data={data} range={range} />
    </EditorStack>
  );
}
