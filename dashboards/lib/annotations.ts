import { AnnotationPanelFilterBuilder, AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dataSource } from './dataSource.ts';
import type { TrainingHealthQuery } from '../../src/training/query.ts';
import type { FineTuningAnnotationsQuery, JobFilters } from '../../src/types.ts';

/**
 * Fine-tuning jobs as points, or as regions where few overlap, and their checkpoints. Blue, or Grafana would give running jobs
 * another color.
 * @param filters which jobs: variables, or all if there are none
 * @param panels the numbers of the panels over which they are drawn; without any, they are drawn over none until somebody
 *   switches them on, and then over all
 */
export function fineTuning(filters: JobFilters, panels: number[]) {
  const query: FineTuningAnnotationsQuery = {
    refId: 'Anno',
    queryType: 'fineTuningAnnotations',
    ...filters,
    show: ['jobs', 'checkpoints'],
    draw: 'automatic',
  };
  const annotation = new AnnotationQueryBuilder()
    .name('Fine-tuning jobs and checkpoints')
    .datasource(dataSource)
    .enable(panels.length > 0)
    .hide(false)
    .iconColor('blue')
    .target({ build: () => ({ ...query, _implementsDataqueryVariant: () => undefined }) });
  return panels.length > 0
    ? annotation.filter(new AnnotationPanelFilterBuilder().exclude(false).ids(panels))
    : annotation;
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
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(dataSource)
    .enable(true)
    .hide(false)
    .iconColor('blue')
    .target({ build: () => ({ ...query, _implementsDataqueryVariant: () => undefined }) })
    .filter(new AnnotationPanelFilterBuilder().exclude(false).ids(panels));
}
