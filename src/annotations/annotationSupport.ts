import { of } from 'rxjs';
import type { AnnotationQuery, AnnotationSupport } from '@grafana/data';
import { lazyEditor } from '../lazyEditor';
import type { MetricsDataSource } from '../metrics/MetricsDataSource';
import type { GpuCloudQuery } from '../types';
import type { FineTuningAnnotationsQuery } from '../types/jobAnnotations/query';
import { eventsOf } from './events';
import { isPromQL } from './isPromQL';
import { isTypedQuery } from '../queryTypes';

/** The color of a new annotation: that of running jobs, which have no color of their own. */
const NEW_COLOR = 'blue';

const NEW_QUERY: FineTuningAnnotationsQuery = {
  refId: 'Anno',
  queryType: 'fineTuningAnnotations',
  show: ['jobs', 'checkpoints'],
};

/**
 * Annotations: fine-tuning jobs and their checkpoints, runs, any list of the main API, or PromQL, saved and drawn exactly as by
 * Grafana's Prometheus data source.
 *
 * @param hasGateway whether the data source knows a tuning gateway; without one, a new annotation is PromQL
 */
export function annotationSupport(metrics: MetricsDataSource, hasGateway: boolean): AnnotationSupport<GpuCloudQuery> {
  return {
    QueryEditor: lazyEditor(async () => (await import('./AnnotationEditor')).AnnotationEditor),

    // There is no `getDefaultQuery`: Grafana would mix it into saved PromQL annotations when it runs them.
    prepareAnnotation: (saved: AnnotationQuery<GpuCloudQuery>) => {
      if (hasGateway && isNew(saved)) {
        return { ...saved, iconColor: NEW_COLOR, target: { ...saved.target, ...NEW_QUERY } };
      }
      return isPromQL(saved) ? metrics.annotations!.prepareAnnotation!(saved) : saved;
    },

    processEvents: (annotation, frames) => {
      const { target, iconColor } = annotation;
      if (target && isTypedQuery(target)) {
        return of(eventsOf(target, frames, iconColor).events);
      }
      // Prometheus' own result for "no frames" never completes, and the dashboard would wait for it.
      return isPromQL(annotation) && frames.length > 0
        ? metrics.annotations!.processEvents!(annotation, frames)
        : of([]);
    },
  };
}

/** True if there is no query yet, neither of this Grafana nor of an old one. */
function isNew({ target, expr }: AnnotationQuery<GpuCloudQuery>): boolean {
  return expr === undefined && (!target || (!('expr' in target) && !target.queryType));
}
