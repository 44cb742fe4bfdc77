import React from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import { isBlank } from '../../platform/blank';
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
import { PlacementFields } from './PlacementFields';
import { seenIn } from './seen';

const DESCRIPTIONS: Record<PlatformType, string> = {
  capacities: 'How much of each product is to be had where',
  placement: 'Where a number of GPUs can run now, within capacities, quotas and own idle nodes',
  platform: 'Any list of the main API: quotas, machines, audit logs, …',
};

interface Props extends GpuCloudQueryEditorProps {
  query: PlatformQuery;
}

/** The main API: capacities, placement, or any list. Every change runs the query, unless it is incomplete. */
export function PlatformEditor({ query, onChange, onRunQuery, datasource, app, data }: Props) {
  const { capacities, pathIds, placement } = datasource;
  const change = (changed: PlatformQuery) => {
    onChange(pickOwnFields(changed));
    if (!isBlank(changed) && (changed.queryType !== 'platform' || !pathError(changed.path, pathIds))) {
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
      {query.queryType === 'capacities' && (
        <CapacitiesFields query={query} onChange={change} offers={capacities} app={app} />
      )}
      {query.queryType === 'placement' && (
        <PlacementFields query={query} onChange={change} offers={placement} app={app} />
      )}
      {query.queryType === 'platform' && (
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
