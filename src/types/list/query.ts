import type { DataQuery } from '@grafana/schema';

export interface Param {
  name: string;
  /** May have `$__timeFrom()` and `$__timeTo()`, which the backend fills in as RFC 3339. */
  value: string;
}

export type ColumnType = 'string' | 'number' | 'boolean' | 'time';

/** What of each item is shown. */
export interface Column {
  /** A member's name, or the names on the way to it, joined by dots. */
  selector: string;
  /** The selector if it is missing. */
  name?: string;
  /** The values decide if it is missing. */
  type?: ColumnType;
  /** One of Grafana's unit ids, such as `decbytes`. */
  unit?: string;
}

/** Any list of the main API. */
export interface ListQuery extends DataQuery {
  queryType: 'platform';
  /** Starts with `/v1/`. `{projectId}` and `{organizationId}` stand for the ids of the settings. */
  path: string;
  params?: Param[];
  /** Where the items are: the names on the way, joined by dots. `items` if it is missing. */
  root?: string;
  /** Every member without structure if it is missing. */
  columns?: Column[];
  /** 10 if it is missing, and 100 at most. May be a dashboard variable. */
  maxPages?: number | string;
  /** The name of a column. Makes a time series of the list. */
  timeColumn?: string;
  /** Keeps the items whose member, written as a selector, has one of the values. */
  filterMember?: string;
  /** The values of `filterMember`, in any case. All if it is empty. */
  filterValues?: string[];
}
