import type { AnnotationQuery } from '@grafana/data';
import { isMetricsQuery } from '../queryTypes';
import type { GpuCloudQuery, MetricsQuery } from '../types';

/** True for PromQL annotations, and for those of an old Grafana, which have their expression beside a missing query. */
export function isPromQL(annotation: AnnotationQuery<GpuCloudQuery>): annotation is AnnotationQuery<MetricsQuery> {
  return !annotation.target || isMetricsQuery(annotation.target);
}
