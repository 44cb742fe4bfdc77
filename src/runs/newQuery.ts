import { pick } from 'lodash';
import { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { isAlerting, QUERY_TYPES, withAlertFormat } from '../queryTypes';
import { pickCommonFields } from '../saved/ownFields';
import type { RunAxis, RunQuery, RunQueryType, RunSource } from './query';
import { BLANK_SOURCES } from './readSource';

/** What a new comparison of fine-tuning jobs shows. */
export const NEW_METRIC = 'train_loss';

/** New panels are of the type time series, and Explore draws over time only. */
const NEW_AXIS: RunAxis = 'rebased';

/** A new query about runs, which has a result at once where there is a gateway: the losses of all fine-tuning jobs in the range. */
export function newRunQuery(place: DataQuery, app: CoreApp | undefined, hasGateway: boolean): RunQuery {
  const source = newSource(hasGateway);
  return isAlerting(app)
    ? withAlertFormat(app, { ...place, queryType: 'runs', source })
    : withSource({ ...place, queryType: 'runComparison', axis: NEW_AXIS, source }, source);
}

export const newSource = (hasGateway: boolean): RunSource => BLANK_SOURCES[hasGateway ? 'fineTuning' : 'series'];

/** A query with runs of another source. The chosen runs are not among them. */
export function withSource<Query extends RunQuery>(query: Query, source: RunSource): Query {
  const changed = { ...query, source };
  if (source.kind !== query.source.kind) {
    delete changed.runs;
    if ('baseline' in changed) {
      delete changed.baseline;
    }
  }
  if (changed.queryType !== 'runComparison') {
    return changed;
  }
  // Only fine-tuning jobs have training metrics.
  return source.kind === 'fineTuning'
    ? { ...changed, metric: changed.metric ?? (changed.expr ? undefined : NEW_METRIC) }
    : { ...changed, metric: undefined };
}

/** Options that mean the same wherever they are. */
const SHARED = ['source', 'runs', 'selector', 'baseline'];

/** A query of another type about the same runs. */
export function switchRunType(query: RunQuery, queryType: RunQueryType, app?: CoreApp): RunQuery {
  const shared = SHARED.filter((option) => Object.hasOwn(QUERY_TYPES[queryType].options, option));
  const changed = {
    ...pickCommonFields(query),
    ...pick(query, shared),
    source: query.source,
    queryType,
  } as RunQuery;
  return changed.queryType === 'runComparison'
    ? withSource({ ...changed, axis: NEW_AXIS }, query.source)
    : withAlertFormat(app, changed);
}
