import { AnnotationQueryBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dataSource } from './dataSource.ts';
import type { FineTuningAnnotationsQuery } from '../../src/types.ts';

const query: FineTuningAnnotationsQuery = {
  refId: 'Anno',
  queryType: 'fineTuningAnnotations',
  show: ['jobs', 'checkpoints'],
};

/** Fine-tuning jobs as spans, their checkpoints as marks. Blue, or Grafana would give running jobs another colour. */
export const fineTuning = () =>
  new AnnotationQueryBuilder()
    .name('Fine-tuning jobs and checkpoints')
    .datasource(dataSource)
    .enable(true)
    .hide(false)
    .iconColor('blue')
    .target({ build: () => ({ ...query, _implementsDataqueryVariant: () => undefined }) });
