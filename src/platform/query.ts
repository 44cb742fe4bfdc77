import type { DataQuery } from '@grafana/schema';

/** A row a type and location; a number for each, labeled by both; or the GPUs of each location. */
export type CapacitiesFormat = 'table' | 'number' | 'gpus';

/** How much of each product is to be had where. In each list, no entry means all. */
export interface CapacitiesQuery extends DataQuery {
  queryType: 'capacities';
  productNames?: string[];
  locations?: string[];
  /** `table` if it is missing. */
  format?: CapacitiesFormat;
  /** How many GPUs the format `gpus` looks for in one place. May be a dashboard variable. */
  gpusNeeded?: string;
}

export interface Param {
  name: string;
  /** May have `$__timeFrom()` and `$__timeTo()`, which the backend fills in as RFC 3339. */
  value: string;
}

export type ColumnType = 'string' | 'number' | 'boolean' | 'time';

/** What of each item is shown. */
export interface Column {
  /** A member's name, or a JSONPath below the item. */
  selector: string;
  /** The selector if it is missing. */
  name?: string;
  /** The values decide if it is missing. */
  type?: ColumnType;
  /** One of Grafana's unit ids, such as `decbytes`. */
  unit?: string;
}

/** The items themselves, or how many each interval has. */
export type Aggregate = 'none' | 'count';

/** Any list of the main API. */
export interface ListQuery extends DataQuery {
  queryType: 'platform';
  /** Starts with `/v1/`. `{projectId}` and `{organizationId}` stand for the ids of the settings. */
  path: string;
  params?: Param[];
  /** Where the items are, as JSONPath. `$.items` if it is missing. */
  root?: string;
  /** Every member without structure if it is missing. */
  columns?: Column[];
  /** 10 if it is missing, and 100 at most. */
  maxPages?: number;
  /** The name of a column. Makes a time series of the list. */
  timeColumn?: string;
  /** What is drawn of a list over time. `none` if it is missing. */
  aggregate?: Aggregate;
}

/**
 * A row for each place, the best first; the GPUs that each place has without doubt, or all places of a GPU type together; a sentence;
 * a row for each own node that is idle; or how often own nodes had room, by hour of the week.
 */
export type PlacementFormat = 'table' | 'number' | 'total' | 'answer' | 'nodes' | 'hours';

/** Where a number of GPUs can run now. In each list, no entry means all. */
export interface PlacementQuery extends DataQuery {
  queryType: 'placement';
  /** How many GPUs are wanted in one place: 1 to 100,000, a number or a text, which may be a dashboard variable. */
  gpus?: number | string;
  /** GPU types such as `h100`, or types of machines such as `h100.8x`. */
  types?: string[];
  locations?: string[];
  /** `table` if it is missing. */
  format?: PlacementFormat;
}

/** A query of the signed main API. Its `queryType` decides which options it has. Placement asks the metrics, too. */
export type PlatformQuery = CapacitiesQuery | PlacementQuery | ListQuery;

export type PlatformType = PlatformQuery['queryType'];

/** A variable whose values are products: types of machines. */
export interface ProductsVariableQuery extends DataQuery {
  queryType: 'capacityProducts';
}

/** A variable whose values are the locations where products are offered. */
export interface LocationsVariableQuery extends DataQuery {
  queryType: 'capacityLocations';
  /** All products if it is missing. */
  productNames?: string[];
}

/** A variable whose values are a column of any list. */
export interface ColumnVariableQuery extends Omit<ListQuery, 'columns' | 'timeColumn' | 'aggregate'> {
  /** Selects the value of each item. */
  valueSelector?: string;
  /** Selects what is shown for it. The value if it is missing. */
  textSelector?: string;
}

export type PlatformVariableQuery = ProductsVariableQuery | LocationsVariableQuery | ColumnVariableQuery;

const VARIABLE_TYPES: Record<PlatformVariableQuery['queryType'], true> = {
  capacityProducts: true,
  capacityLocations: true,
  platform: true,
};

export function isPlatformVariable(query: DataQuery): query is PlatformVariableQuery {
  return query.queryType !== undefined && Object.hasOwn(VARIABLE_TYPES, query.queryType);
}
