import { AnnotationPanelFilterBuilder, AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dataSource } from './dataSource.ts';
import type { TrainingHealthQuery } from '../../src/types/trainingHealth/query.ts';
import type { FineTuningAnnotationsQuery } from '../../src/types/jobAnnotations/query.ts';
import type { JobFilters } from '../../src/types/jobFilters.ts';

/**
 * Fine-tuning jobs as points, or as regions where few overlap, and their checkpoints.
 * @param filters which jobs: variables, or all if there are none
 */
export function fineTuning(filters: JobFilters, panels: number[]) {
  const query: FineTuningAnnotationsQuery = {
    refId: 'Anno',
    queryType: 'fineTuningAnnotations',
    ...filters,
    show: ['jobs', 'checkpoints'],
    draw: 'automatic',
  };
  return annotation('Fine-tuning jobs and checkpoints', query, panels);
}

/** Which runs, and which findings about them. */
export type HealthOptions = Pick<TrainingHealthQuery, 'expr' | 'statuses' | 'models' | 'findings'>;

/** Since when something is wrong with training runs, as points: red, yellow, and blue for what is for information. */
export function trainingHealth(name: string, options: HealthOptions, panels: number[]) {
  const query: TrainingHealthQuery = {
    refId: 'Anno',
    queryType: 'trainingHealth',
    ...options,
    format: 'annotations',
  };
  return annotation(name, query, panels);
}

/**
 * An annotation. Blue, or Grafana would give running jobs and what is for information another color.
 * @param panels the numbers of the panels over which it is drawn; without any, it is drawn over none until somebody switches
 *   it on, and then over all
 */
function annotation(name: string, query: FineTuningAnnotationsQuery | TrainingHealthQuery, panels: number[]) {
  const builder = new AnnotationQueryBuilder()
    .name(name)
    .datasource(dataSource)
    .enable(panels.length > 0)
    .hide(false)
    .iconColor('blue')
    .target({ build: () => ({ ...query, _implementsDataqueryVariant: () => undefined }) });
  return panels.length > 0 ? builder.filter(new AnnotationPanelFilterBuilder().exclude(false).ids(panels)) : builder;
}
