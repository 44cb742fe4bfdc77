import React, { useEffect, useMemo, useState } from 'react';
import { of } from 'rxjs';
import { type AnnotationEvent, type AnnotationQuery, CoreApp, type TimeRange } from '@grafana/data';
import { type DataSource, type Query } from '../plugin/loadPlugin';
import { errorText, lastHours, usePanelData } from '../query';
import { Editor } from './Editor';

/** What a dashboard saves for fine-tuning jobs and their checkpoints. */
export const initialAnnotation: AnnotationQuery<Query & { show?: string[] }> = {
  name: 'Fine-tuning',
  enable: true,
  iconColor: 'blue',
  target: { refId: 'Anno', queryType: 'fineTuningAnnotations', show: ['jobs', 'checkpoints'] },
};

/** A dashboard's annotation settings in small. */
export function AnnotationView({ datasource }: { datasource: DataSource }) {
  const [annotation, onChange] = useState<AnnotationQuery<Query>>(initialAnnotation);
  const support = datasource.annotations!;
  const prepared = useMemo(() => prepare(datasource, annotation), [datasource, annotation]);
  const [range, setRange] = useState(lastHours);
  const QueryEditor = support.QueryEditor!;
  return (
    <Editor label="Annotation">
      <QueryEditor
        app={CoreApp.Dashboard}
        datasource={datasource}
        annotation={prepared}
        query={prepared.target!}
        range={range}
        onAnnotationChange={onChange}
        onChange={(target) => onChange({ ...prepared, target })}
        onRunQuery={() => setRange(lastHours())}
      />
    </Editor>
  );
}

const prepare = (datasource: DataSource, saved: AnnotationQuery<Query>): AnnotationQuery<Query> =>
  datasource.annotations?.prepareAnnotation?.(saved) ?? saved;

/**
 * The events of an annotation in a time range, and why there are none. As a dashboard does it: the data source prepares what was
 * saved, and makes events of the result of its query.
 */
export function useAnnotation(datasource: DataSource, saved: AnnotationQuery<Query> | undefined, timeRange: TimeRange) {
  const support = datasource.annotations!;
  const annotation = useMemo(() => saved && prepare(datasource, saved), [datasource, saved]);
  const query = useMemo(() => {
    const target = annotation && (support.prepareQuery?.(annotation) ?? annotation.target);
    return target && { ...target, refId: 'Anno', datasource: datasource.getRef() };
  }, [datasource, support, annotation]);
  const data = usePanelData(datasource, query, timeRange, CoreApp.Dashboard);
  const [events, setEvents] = useState<AnnotationEvent[]>([]);
  const series = data?.series;
  useEffect(() => {
    const made = annotation && series && support.processEvents?.(annotation, series);
    const running = (made ?? of([])).subscribe((next) => setEvents(next ?? []));
    return () => running.unsubscribe();
  }, [support, annotation, series]);
  return { events, failures: (data?.errors ?? []).map(errorText) };
}
