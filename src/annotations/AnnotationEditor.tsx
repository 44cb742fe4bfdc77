import React, { useMemo, useRef } from 'react';
import { mapValues } from 'lodash';
import type { AnnotationQuery, QueryEditorProps } from '@grafana/data';
import { AnnotationQueryEditor } from '@grafana/prometheus';
import { Stack } from '@grafana/ui';
import type { GpuCloud } from '../GpuCloud';
import { Configured } from '../config/Configured';
import type { Service } from '../config/missing';
import { DocsLink } from '../help/DocsLink';
import { CatalogButton } from '../query/catalog/CatalogButton';
import { EditorStack } from '../query/EditorStack';
import { Picker } from '../query/Picker';
import { AnnotationsFields } from '../query/tuning/AnnotationsFields';
import { AUDIT_LOGS, ROOT } from '../catalog/lists';
import { pathError } from '../platform/path';
import type { ListQuery } from '../platform/query';
import { pickOwnFields } from '../saved/ownFields';
import { newSource, withSource } from '../runs/newQuery';
import { sourceProblem } from '../runs/problem';
import type { RunAnnotationsQuery } from '../runs/query';
import { serviceOfRuns } from '../runs/service';
import { RunAnnotationsFields } from '../query/runs/RunAnnotationsFields';
import { TrainingFields } from '../query/training/TrainingFields';
import { RunSourceFields, SourceKindField } from '../query/runs/RunSourceFields';
import { migrateQuery } from '../saved/migrateQuery';
import type { FineTuningAnnotationsQuery, GpuCloudOptions, GpuCloudQuery } from '../types';
import { AnnotationPreview } from './AnnotationPreview';
import { isListQuery, isPromQL, type DrawnQuery } from './events';
import { ListEventsEditor } from './ListEventsEditor';
import { newTrainingQuery } from '../training/newQuery';
import { isMetricsQuery, isTrainingQuery } from '../queryTypes';

interface Props extends QueryEditorProps<GpuCloud, GpuCloudQuery, GpuCloudOptions> {
  annotation?: AnnotationQuery<GpuCloudQuery>;
  onAnnotationChange?: (annotation: AnnotationQuery<GpuCloudQuery>) => void;
}

type Kind = 'fineTuning' | 'runs' | 'training' | 'list' | 'promql';

const KINDS: Array<{ value: Kind; label: string; description: string }> = [
  { value: 'fineTuning', label: 'Fine-tuning', description: 'Jobs, their status changes and their checkpoints' },
  { value: 'runs', label: 'Runs', description: 'The start and the end of training runs' },
  { value: 'training', label: 'Training health', description: 'Since when something is wrong with training runs' },
  { value: 'promql', label: 'PromQL', description: 'Where an expression is above zero' },
  { value: 'list', label: 'API list', description: 'The items of any list of the main API, such as audit logs' },
];

/** Runs and training health come from two services: their editors say which is missing. */
const SERVICES: Record<Exclude<Kind, 'runs' | 'training'>, Service> = {
  fineTuning: 'Fine-tuning',
  promql: 'Metrics',
  list: 'Main API',
};

/**
 * What an annotation draws over panels: fine-tuning, runs or a list of the main API, with a list of what that would be, or
 * Prometheus' own editor.
 */
export function AnnotationEditor({ query: saved, ...rest }: Props) {
  const query = useMemo(() => migrateQuery(saved), [saved]);
  const props = { ...rest, query };
  // What was written before the kind was changed, for those who change it back.
  const left = useRef<Partial<Record<Kind, GpuCloudQuery>>>({});
  const shown = kindOf(query);

  const changeKind = (kind: Kind) => {
    const current = kindOf(query);
    if (current) {
      left.current[current] = isMetricsQuery(query) ? query : pickOwnFields(query as DrawnQuery);
    }
    // Grafana merges the query of a version 2 dashboard into the new one, so what is dropped has to be named.
    props.onChange({ ...mapValues(query, () => undefined), ...(left.current[kind] ?? newAnnotation(kind, props)) });
  };

  return (
    <Stack direction="column" gap={1}>
      <Stack justifyContent="space-between" gap={1} wrap="wrap">
        <Picker aria-label="Draw" options={KINDS} value={shown} onChange={changeKind} />
        {isMetricsQuery(query) && (
          <CatalogButton
            metrics={props.datasource.metrics}
            range={props.range}
            query={query}
            onInsert={props.onChange}
          />
        )}
      </Stack>
      {(shown === 'runs' || shown === 'training') && <KindEditor {...props} />}
      {shown && shown !== 'runs' && shown !== 'training' && (
        <Configured service={SERVICES[shown]} datasource={props.datasource}>
          <KindEditor {...props} />
        </Configured>
      )}
      <DocsLink page="annotation" />
    </Stack>
  );
}

function KindEditor({ annotation, onAnnotationChange, query, ...props }: Props) {
  const { datasource, onChange, onRunQuery, range } = props;
  const drawn = {
    datasource,
    range,
    iconColor: annotation?.iconColor ?? DEFAULT_COLOR,
    // The dashboard's, once Grafana has run the query.
    timeZone: props.data?.request?.timezone,
  };
  if (isFineTuningAnnotation(query)) {
    return (
      <>
        <EditorStack>
          <AnnotationsFields
            query={query}
            onChange={(changed) => onChange(pickOwnFields(changed))}
            gateway={datasource.gateway}
          />
        </EditorStack>
        <AnnotationPreview {...drawn} query={query} />
      </>
    );
  }
  if (isRunAnnotation(query)) {
    const { source } = query;
    const change = (changed: RunAnnotationsQuery) => onChange(pickOwnFields(changed));
    return (
      <>
        <EditorStack>
          <SourceKindField source={source} onChange={(changed) => change(withSource(query, changed))} />
          <Configured service={serviceOfRuns(source)} datasource={datasource}>
            <RunSourceFields
              source={source}
              onChange={(changed) => change(withSource(query, changed))}
              gateway={datasource.gateway}
            />
          </Configured>
          <RunAnnotationsFields query={query} onChange={change} />
        </EditorStack>
        {!sourceProblem(source) && <AnnotationPreview {...drawn} query={query} />}
      </>
    );
  }
  if (isTrainingQuery(query)) {
    return (
      <>
        <EditorStack>
          <TrainingFields
            query={query}
            onChange={(changed) => onChange(pickOwnFields(changed))}
            datasource={datasource}
          />
        </EditorStack>
        <AnnotationPreview {...drawn} query={query} />
      </>
    );
  }
  if (isListQuery(query)) {
    return (
      <>
        <ListEventsEditor
          query={query}
          onChange={(changed) => onChange(pickOwnFields(changed))}
          ids={datasource.pathIds}
        />
        {!pathError(query.path, datasource.pathIds) && <AnnotationPreview {...drawn} query={query} />}
      </>
    );
  }
  if (!isMetricsQuery(query) || !annotation || !isPromQL(annotation)) {
    return null;
  }
  return (
    <AnnotationQueryEditor
      annotation={annotation}
      onAnnotationChange={onAnnotationChange}
      query={query}
      onChange={onChange}
      onRunQuery={onRunQuery}
      datasource={datasource.metrics}
      app={props.app}
      data={props.data}
      range={range}
    />
  );
}

/** Grafana's color for new annotations. */
const DEFAULT_COLOR = 'red';

function newAnnotation(kind: Kind, { query, datasource: { options } }: Props): GpuCloudQuery {
  const { refId, datasource } = query;
  switch (kind) {
    case 'fineTuning':
      return { refId, datasource, queryType: 'fineTuningAnnotations' };
    case 'runs':
      return { refId, datasource, queryType: 'runAnnotations', source: newSource(Boolean(options.intelligenceUrl)) };
    case 'training':
      return {
        ...newTrainingQuery({ refId, datasource }, undefined, Boolean(options.intelligenceUrl)),
        format: 'annotations',
      };
    case 'list': {
      const { path, params, events: columns } = AUDIT_LOGS;
      return { refId, datasource, queryType: 'platform', path, params, root: ROOT, columns } satisfies ListQuery;
    }
    case 'promql':
      return { refId, datasource, expr: '' };
  }
}

function kindOf(query: GpuCloudQuery): Kind | undefined {
  if (isFineTuningAnnotation(query)) {
    return 'fineTuning';
  }
  if (isRunAnnotation(query)) {
    return 'runs';
  }
  if (isTrainingQuery(query)) {
    return 'training';
  }
  if (isListQuery(query)) {
    return 'list';
  }
  return isMetricsQuery(query) ? 'promql' : undefined;
}

function isFineTuningAnnotation(query: GpuCloudQuery): query is FineTuningAnnotationsQuery {
  return query.queryType === 'fineTuningAnnotations';
}

function isRunAnnotation(query: GpuCloudQuery): query is RunAnnotationsQuery {
  return query.queryType === 'runAnnotations';
}
