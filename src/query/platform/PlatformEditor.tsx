import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { pathError } from '../../platform/path';
import type { PlatformQuery, PlatformType } from '../../platform/query';
import { QUERY_TYPES, isAlerting, typesOffered } from '../../queryTypes';
import { pickOwnFields } from '../../saved/ownFields';
import { Picker } from '../Picker';
import { EditorStack } from '../EditorStack';
import type { GpuCloudQueryEditorProps } from '../editorProps';
import { CapacitiesFields } from './CapacitiesFields';
import { ListFields } from './ListFields';
import { newPlatformQuery } from './newPlatformQuery';
import { seenIn } from './seen';

const DESCRIPTIONS: Record<PlatformType, string> = {
  capacities: 'How much of each product is to be had where',
  platform: 'Any list of the main API: quotas, machines, audit logs, …',
};

interface Props extends GpuCloudQueryEditorProps {
  query: PlatformQuery;
}

/** The main API: capacities, or any list. Every change runs the query, unless its path is invalid. */
export function PlatformEditor({ query, onChange, onRunQuery, datasource, app, data }: Props) {
  const { capacities, pathIds } = datasource;
  const change = (changed: PlatformQuery) => {
    onChange(pickOwnFields(changed));
    if (changed.queryType === 'capacities' || !pathError(changed.path, pathIds)) {
      onRunQuery();
    }
  };

  return (
    <EditorStack>
      <EditorRow>
        <Picker
          aria-label="Show"
          options={typesOffered(query, app).map((value) => ({
            value,
            label: QUERY_TYPES[value].label,
            description: DESCRIPTIONS[value],
          }))}
          value={query.queryType}
          onChange={(type) => change(newPlatformQuery(type, { query, ids: pathIds, app }))}
        />
      </EditorRow>
      {query.queryType === 'capacities' ? (
        <CapacitiesFields query={query} onChange={change} capacities={capacities} app={app} />
      ) : (
        <ListFields
          query={query}
          onChange={change}
          ids={pathIds}
          seen={seenIn(data, query.refId)}
          alerting={isAlerting(app)}
        />
      )}
    </EditorStack>
  );
}
