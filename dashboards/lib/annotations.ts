import { AnnotationPanelFilterBuilder, AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dataSource } from './dataSource.ts';
import type { FineTuningAnnotationsQuery } from '../../src/types.ts';

/**
 * Fine-tuning jobs as spans, their checkpoints as marks. Blue, or Grafana would give running jobs another colour.
 * @param jobIds which jobs; a variable, or all if there are none
 * @param panels the numbers of the panels over which they are drawn; without any, they are drawn over none until somebody
 *   switches them on, and then over all
 */
export function fineTuning(jobIds: string[], panels: number[]) {
  const query: FineTuningAnnotationsQuery = {
    refId: 'Anno',
    queryType: 'fineTuningAnnotations',
    jobIds,
    show: ['jobs', 'checkpoints'],
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
