import type { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import { READY_MADE_LISTS, ROOT } from '../../catalog/lists';
import { pathError, type PathIds } from '../../platform/path';
import type { PlatformQuery, PlatformType } from '../../platform/query';
import { isAlerting, withAlertFormat } from '../../queryTypes';
import { pickCommonFields } from '../../saved/ownFields';
import { alertColumns } from './alertColumns';

/** Where a new query stands. */
interface Place {
  query: DataQuery;
  /** Which ids the settings have. */
  ids: PathIds;
  app: CoreApp | undefined;
}

/** A machine's worth. */
const NEW_GPUS = '8';

/** A query to start with, which has a result at once. An alert rule needs numbers. */
export function newPlatformQuery(queryType: PlatformType, { query, ids, app }: Place): PlatformQuery {
  const common = pickCommonFields(query);
  if (queryType === 'capacities') {
    return withAlertFormat(app, { ...common, queryType });
  }
  if (queryType === 'placement') {
    return withAlertFormat(app, { ...common, queryType, gpus: NEW_GPUS });
  }
  const [list] = READY_MADE_LISTS;
  const { path } = list;
  const columns = isAlerting(app) ? alertColumns(list) : list.columns;
  return pathError(path, ids)
    ? { ...common, queryType, path: '' }
    : { ...common, queryType, path, root: ROOT, columns };
}
