import type { CoreApp, PanelData } from '@grafana/data';
import type { Gateway } from '../../tuning/Gateway';
import type { FineTuningQuery } from '../../types';

/** What the fields of every type of query get. */
export interface FieldsProps<Query extends FineTuningQuery> {
  query: Query;
  /** Saves the query and runs it. */
  onChange: (query: Query) => void;
  gateway: Gateway;
  app?: CoreApp;
  /** The last result. */
  data?: PanelData;
}
