import type { PromVariableQuery } from '@grafana/prometheus';
import type { DataQuery } from '@grafana/schema';
import type { TypedService } from '../services';
import type { JobFilters } from '../types/jobFilters';
import type { ListQuery } from '../types/list/query';
import type { ChosenRuns } from '../types/runSource';

/** A PromQL variable's query, as Grafana's Prometheus data source saves it. */
export type MetricsVariableQuery = PromVariableQuery;

/** A variable whose values are jobs' ids, shown with their names. */
interface JobsVariableQuery extends DataQuery, Pick<JobFilters, 'statuses' | 'models'> {
  queryType: 'fineTuningJobs';
}

/** A variable whose values are models that jobs can start from. */
interface ModelsVariableQuery extends DataQuery {
  queryType: 'fineTuningModels';
}

/** A variable whose values are the statuses of jobs. */
interface StatusesVariableQuery extends DataQuery {
  queryType: 'fineTuningStatuses';
}

/** A variable whose values are the ids of jobs' checkpoints. */
interface CheckpointsVariableQuery extends DataQuery, Pick<JobFilters, 'jobIds'> {
  queryType: 'fineTuningCheckpoints';
}

/** A variable whose values are ids of runs, shown with their names. */
interface RunsVariableQuery extends DataQuery, Pick<ChosenRuns, 'source'> {
  queryType: 'runs';
}

/** A variable whose values are those of a label of the runs, each once. */
interface RunLabelsVariableQuery extends DataQuery, Pick<ChosenRuns, 'source'> {
  queryType: 'runLabels';
  /** A label, such as `model`. The names of the runs if it is missing. */
  label?: string;
}

/** A variable whose values are products: types of machines. */
interface ProductsVariableQuery extends DataQuery {
  queryType: 'capacityProducts';
}

/** A variable whose values are the locations where products are offered. */
interface LocationsVariableQuery extends DataQuery {
  queryType: 'capacityLocations';
  /** All products if it is missing. */
  productNames?: string[];
}

/** A variable whose values are a column of any list. */
interface ColumnVariableQuery extends Omit<ListQuery, 'columns' | 'timeColumn'> {
  /** Selects the value of each item. */
  valueSelector?: string;
  /** Selects what is shown for it. The value if it is missing. */
  textSelector?: string;
}

/** A variable that is not PromQL. Its `queryType` decides which options it has. */
export type TypedVariableQuery =
  | JobsVariableQuery
  | ModelsVariableQuery
  | StatusesVariableQuery
  | CheckpointsVariableQuery
  | RunsVariableQuery
  | RunLabelsVariableQuery
  | ProductsVariableQuery
  | LocationsVariableQuery
  | ColumnVariableQuery;

export type VariableType = TypedVariableQuery['queryType'];

/** A dashboard variable's query. */
export type GpuCloudVariableQuery = MetricsVariableQuery | TypedVariableQuery;

/** What the values of each type come from, in the order of the editor. Findings come and go: no list to choose from. */
export const VARIABLE_SERVICES: Record<VariableType, Exclude<TypedService, 'training'>> = {
  fineTuningJobs: 'fineTuning',
  fineTuningModels: 'fineTuning',
  fineTuningStatuses: 'fineTuning',
  fineTuningCheckpoints: 'fineTuning',
  runs: 'runs',
  runLabels: 'runs',
  capacityProducts: 'mainApi',
  capacityLocations: 'mainApi',
  platform: 'mainApi',
};

/** A new variable has no query, or an empty text for one. */
export const isTypedVariable = (query: GpuCloudVariableQuery | undefined): query is TypedVariableQuery =>
  query?.queryType !== undefined && Object.hasOwn(VARIABLE_SERVICES, query.queryType);
