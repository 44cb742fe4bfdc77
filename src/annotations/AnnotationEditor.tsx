import React, { useMemo } from 'react';
import type { AnnotationQuery, QueryEditorProps } from '@grafana/data';
import { AnnotationQueryEditor } from '@grafana/prometheus';
import { Stack } from '@grafana/ui';
import { t } from '../i18n';
import { AUDIT_LOGS, ROOT } from '../catalog/lists';
import { Configured } from '../config/Configured';
import { useDrafts, withDrafts } from '../fields/useDrafts';
import type { GpuCloud } from '../GpuCloud';
import type { ListQuery } from '../types/list/query';
import { EditorHeader, NoEditor } from '../query/EditorHeader';
import { TypedFields } from '../query/TypedFields';
import { definitionOf, isMetricsQuery, isTypedQuery, serviceOf, type QueryType } from '../queryTypes';
import { readQuery } from '../saved/readQuery';
import { handOver, pickCommonFields } from '../saved/ownFields';
import { isBlank, switchType } from '../saved/typedQuery';
import type { GpuCloudOptions, GpuCloudQuery, TypedQuery } from '../types';
import { AnnotationPreview } from './AnnotationPreview';
import { isListQuery } from './events';
import { isPromQL } from './isPromQL';
import { ListEventsFields } from './ListEventsFields';

interface Props extends QueryEditorProps<GpuCloud, GpuCloudQuery, GpuCloudOptions> {
  annotation?: AnnotationQuery<GpuCloudQuery>;
  onAnnotationChange?: (annotation: AnnotationQuery<GpuCloudQuery>) => void;
}

const { path, params, events } = AUDIT_LOGS;

/** What an annotation draws, by the type of its query. `more` are options of a new one that differ from those in panels. */
const KINDS: Array<{ value: QueryType | 'metrics'; label: string; description: string; more?: Partial<TypedQuery> }> = [
  { value: 'fineTuningAnnotations', label: 'Fine-tuning', description: 'Jobs and their checkpoints' },
  { value: 'runAnnotations', label: 'Runs', description: 'The start and the end of training runs' },
  {
    value: 'trainingHealth',
    label: 'Training health',
    description: 'Since when something is wrong with training runs',
    more: { format: 'annotations' },
  },
  { value: 'metrics', label: 'PromQL', description: 'Where an expression is above zero' },
  {
    value: 'platform',
    label: 'API list',
    description: 'The items of any list of the main API, such as audit logs',
    more: { path, params, root: ROOT, columns: events } satisfies Partial<ListQuery>,
  },
];

/**
 * What an annotation draws over panels: fine-tuning, runs or a list of the main API, with a list of what that would be, or
 * Prometheus' own editor.
 */
export const AnnotationEditor = withDrafts(({ query: saved, ...rest }: Props) => {
  const query = useMemo(() => readQuery(saved), [saved]);
  const props = { ...rest, query };
  const { datasource } = props;
  const kind = isMetricsQuery(query) ? 'metrics' : query.queryType;
  const leave = useDrafts<GpuCloudQuery>('kind');

  const change = (changed: GpuCloudQuery) => props.onChange(handOver(query, changed));
  const changeKind = (to: QueryType | 'metrics') =>
    change(leave(kind ?? '', query, to) ?? newAnnotation(to, query, datasource.options));

  return (
    <Stack direction="column" gap={1}>
      <EditorHeader
        aria-label={t('Draw')}
        options={KINDS}
        value={KINDS.find(({ value }) => value === kind)?.value}
        onChange={changeKind}
        page="annotation"
      />
      {isMetricsQuery(query) && (
        <Configured setting="Metrics" datasource={datasource}>
          <PromqlAnnotation {...props} />
        </Configured>
      )}
      {isTypedQuery(query) && <TypedAnnotation {...props} query={query} onChange={change} />}
      {!serviceOf(query) && <NoEditor query={query} />}
    </Stack>
  );
});

function newAnnotation(kind: QueryType | 'metrics', query: GpuCloudQuery, settings: GpuCloudOptions): GpuCloudQuery {
  const common = pickCommonFields(query);
  if (kind === 'metrics') {
    return { ...common, expr: '' };
  }
  const more = KINDS.find(({ value }) => value === kind)?.more;
  return { ...switchType(common, kind, { settings, alerting: false }), ...more } as TypedQuery;
}

/** Grafana's color for new annotations. */
const DEFAULT_COLOR = 'red';

function TypedAnnotation({ query, annotation, ...props }: Props & { query: TypedQuery }) {
  const { datasource, onChange, range } = props;
  const { needs } = definitionOf(query);
  return (
    <Configured setting={needs} datasource={datasource}>
      <Stack direction="column" gap={0.5}>
        {isListQuery(query) ? (
          <ListEventsFields query={query} onChange={onChange} datasource={datasource} />
        ) : (
          <TypedFields query={query} onChange={onChange} datasource={datasource} range={range} />
        )}
      </Stack>
      {!isBlank(query) && (
        <AnnotationPreview
          query={query}
          datasource={datasource}
          range={range}
          iconColor={annotation?.iconColor ?? DEFAULT_COLOR}
          // The dashboard's, once Grafana has run the query.
          timeZone={props.data?.request?.timezone}
        />
      )}
    </Configured>
  );
}

function PromqlAnnotation({ query, annotation, datasource, history: _, queries: __, ...props }: Props) {
  return isMetricsQuery(query) && annotation && isPromQL(annotation) ? (
    <AnnotationQueryEditor {...props} annotation={annotation} query={query} datasource={datasource.metrics} />
  ) : null;
}
