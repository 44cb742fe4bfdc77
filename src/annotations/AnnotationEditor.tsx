import React from 'react';
import type { AnnotationQuery, QueryEditorProps } from '@grafana/data';
import { EditorRows } from '@grafana/plugin-ui';
import { AnnotationQueryEditor } from '@grafana/prometheus';
import { RadioButtonGroup, Stack } from '@grafana/ui';
import type { DataSource } from '../datasource';
import { AnnotationsFields } from '../query/tuning/AnnotationsFields';
import { withoutLeftovers } from '../tuning/options';
import { isMetricsQuery, type FineTuningAnnotationsQuery, type GpuCloudOptions, type GpuCloudQuery } from '../types';
import { isPromQL } from './annotationSupport';
import { DrawnEvents } from './DrawnEvents';

interface Props extends QueryEditorProps<DataSource, GpuCloudQuery, GpuCloudOptions> {
  annotation?: AnnotationQuery<GpuCloudQuery>;
  onAnnotationChange?: (annotation: AnnotationQuery<GpuCloudQuery>) => void;
}

type Kind = 'fineTuning' | 'promql';

const KINDS: Array<{ value: Kind; label: string; description: string }> = [
  { value: 'fineTuning', label: 'Fine-tuning', description: 'Jobs, their status changes and their checkpoints' },
  { value: 'promql', label: 'PromQL', description: 'Wherever an expression is above zero' },
];

/** What an annotation draws over panels: fine-tuning, with a list of what that would be, or Prometheus' own editor. */
export function AnnotationEditor(props: Props) {
  const { query, onChange } = props;
  const changeKind = (kind: Kind) =>
    onChange(
      kind === 'promql'
        ? { refId: query.refId, datasource: query.datasource, expr: '' }
        : { refId: query.refId, datasource: query.datasource, queryType: 'fineTuningAnnotations' }
    );

  return (
    <Stack direction="column" gap={1}>
      <div>
        <RadioButtonGroup aria-label="Draw" options={KINDS} value={kindOf(query)} onChange={changeKind} />
      </div>
      <KindEditor {...props} />
    </Stack>
  );
}

function KindEditor({ annotation, onAnnotationChange, query, ...props }: Props) {
  const { datasource, onChange, onRunQuery, range } = props;
  if (isFineTuningAnnotation(query)) {
    return (
      <>
        <EditorRows>
          <AnnotationsFields
            query={query}
            onChange={(changed) => onChange(withoutLeftovers(changed))}
            gateway={datasource.gateway}
          />
        </EditorRows>
        <DrawnEvents query={query} datasource={datasource} range={range} />
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

function kindOf(query: GpuCloudQuery): Kind | undefined {
  if (isFineTuningAnnotation(query)) {
    return 'fineTuning';
  }
  return isMetricsQuery(query) ? 'promql' : undefined;
}

function isFineTuningAnnotation(query: GpuCloudQuery): query is FineTuningAnnotationsQuery {
  return query.queryType === 'fineTuningAnnotations';
}
