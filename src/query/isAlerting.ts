import { CoreApp } from '@grafana/data';

/** Whether an editor is that of an alert rule. */
export const isAlerting = (app: CoreApp | undefined): boolean =>
  app === CoreApp.UnifiedAlerting || app === CoreApp.CloudAlerting;
