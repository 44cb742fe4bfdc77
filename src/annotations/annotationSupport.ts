import { of } from 'rxjs';
import type { AnnotationQuery, AnnotationSupport } from '@grafana/data';
import { lazyEditor } from '../lazyEditor';
import type { MetricsDataSource } from '../metrics/MetricsDataSource';
import { isMetricsQuery, type GpuCloudQuery, type MetricsQuery } from '../types';

/** PromQL annotations, saved and drawn exactly as those of Grafana's Prometheus data source. */
export function annotationSupport(metrics: MetricsDataSource): AnnotationSupport<GpuCloudQuery> {
  return {
    QueryEditor: lazyEditor(async () => (await import('./AnnotationEditor')).AnnotationEditor),

    prepareAnnotation: (saved: AnnotationQuery<GpuCloudQuery>) =>
      isPromQL(saved) ? metrics.annotations!.prepareAnnotation!(saved) : saved,

    processEvents: (annotation, frames) =>
      // Prometheus' own answer to "no frames" never completes, and the dashboard would wait for it.
      isPromQL(annotation) && frames.length > 0 ? metrics.annotations!.processEvents!(annotation, frames) : of([]),
  };
}

/** True for PromQL annotations, and for those of an old Grafana, which have their expression beside a missing query. */
export function isPromQL(annotation: AnnotationQuery<GpuCloudQuery>): annotation is AnnotationQuery<MetricsQuery> {
  return !annotation.target || isMetricsQuery(annotation.target);
}
