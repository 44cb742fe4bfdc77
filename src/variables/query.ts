import type { PromVariableQuery } from '@grafana/prometheus';
import type { DataQuery } from '@grafana/schema';
import type { TypedService } from '../services';
import type { JobFilters } from '../types/jobFilters';
import type { ListQuery } from '../types/list/query';
import type { ChosenRuns } from '../types/runSource';

/** A PromQL variable's query, as Grafana's Prometheus data source saves it. */
export type MetricsVariableQuery = PromVariableQuery;

interface OfType<Type extends string> extends DataQuery {
  queryType: Type;
}

/** A variable whose values are ids of runs, shown with their names, or those of a label of the runs, each once. */
type OfRuns<Type extends string> = OfType<Type> & Pick<ChosenRuns, 'source'>;

/** What the values of a column of any list are selected by. */
interface ColumnVariableQuery extends Omit<ListQuery, 'columns' | 'timeColumn'> {
  /** Selects the value of each item. */
  valueSelector?: string;
  /** Selects what is shown for it. The value if it is missing. */
  textSelector?: string;
}

/** A variable that is not PromQL. Its `queryType` decides which options it has. */
export type TypedVariableQuery =
  | (OfType<'fineTuningJobs'> & Pick<JobFilters, 'statuses' | 'models'>)
  | OfType<'fineTuningModels'>
  | OfType<'fineTuningStatuses'>
  | OfRuns<'runs'>
  /** The names of the runs if the label is missing. */
  | (OfRuns<'runLabels'> & { label?: string })
  | ColumnVariableQuery;

export type VariableType = TypedVariableQuery['queryType'];

export type GpuCloudVariableQuery = MetricsVariableQuery | TypedVariableQuery;

/** What the values of each type come from, in the order of the editor. Findings come and go: no list to choose from. */
export const VARIABLE_SERVICES: Record<VariableType, Exclude<TypedService, 'training'>> = {
  fineTuningJobs: 'fineTuning',
  fineTuningModels: 'fineTuning',
  fineTuningStatuses: 'fineTuning',
  runs: 'runs',
  runLabels: 'runs',
  platform: 'mainApi',
};

/** A new variable has no query, or an empty text for one. */
export const isTypedVariable = (query: GpuCloudVariableQuery | undefined): query is TypedVariableQuery =>
  query?.queryType !== undefined && Object.hasOwn(VARIABLE_SERVICES, query.queryType);
