import type { DataQuery } from '@grafana/schema';

/** A row a type and location; or a number for each, labeled by both. */
export type CapacitiesFormat = 'table' | 'number';

/** How much of each product is to be had where. In each list, no entry means all. */
export interface CapacitiesQuery extends DataQuery {
  queryType: 'capacities';
  productNames?: string[];
  locations?: string[];
  /** `table` if it is missing. */
  format?: CapacitiesFormat;
}
