import { CoreApp } from '@grafana/data';
import type { FineTuningQuery } from '../../types';

export function isAlerting(app: CoreApp | undefined): boolean {
  return app === CoreApp.UnifiedAlerting || app === CoreApp.CloudAlerting;
}

/** A new query, as its place needs it: an alert rule takes numbers. */
export function withAlertFormat(app: CoreApp | undefined, query: FineTuningQuery): FineTuningQuery {
  return isAlerting(app) && query.queryType === 'fineTuningJobs' ? { ...query, format: 'count' } : query;
}
