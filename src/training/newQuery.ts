import type { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { withAlertFormat } from '../queryTypes';
import type { FindingKind, TrainingHealthQuery } from './query';

/** What an alert rule is about at first: what is to be stopped. Its threshold fits all of these. */
const NEW_FINDINGS: FindingKind[] = ['notFinite', 'diverging', 'stalled'];

/** A metric that workloads often export, where there is no gateway whose jobs could be looked at. */
export const USUAL_EXPR = 'training_loss{metrics_source="custom-metrics"}';

/** A new query, which has a result at once. */
export function newTrainingQuery(place: DataQuery, app: CoreApp | undefined, hasGateway: boolean): TrainingHealthQuery {
  const query: TrainingHealthQuery = {
    ...place,
    queryType: 'trainingHealth',
    ...(!hasGateway && { expr: USUAL_EXPR }),
  };
  const changed = withAlertFormat(app, query);
  return changed === query ? query : { ...changed, findings: NEW_FINDINGS };
}
