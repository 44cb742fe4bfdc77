import type { CoreApp } from '@grafana/data';
import type { RunQuery } from '../../runs/query';
import type { FoundRun } from './useFoundRuns';

/** What the fields of every type of query about runs get. */
export interface FieldsProps<Query extends RunQuery> {
  query: Query;
  /** Saves the query and runs it. */
  onChange: (query: Query) => void;
  /** The runs of the source. */
  found: FoundRun[];
  app?: CoreApp;
}
