import { listAt, ROOT } from '../../src/catalog/lists.ts';
import type { MetricsQuery, TypedQuery as SavedQuery } from '../../src/types.ts';
import type { ListQuery } from '../../src/types/list/query.ts';
import { dataSource } from './dataSource.ts';

/** A query of one panel, without the letter it gets there. */
export type Query = PromQL | TypedQuery;

/** A query that is not PromQL, without its letter. */
export type TypedQuery = Unlettered<SavedQuery>;

type PromQL = Pick<MetricsQuery, 'expr' | 'instant' | 'range' | 'format' | 'legendFormat' | 'exemplar' | 'untilEnd'> & {
  queryType?: undefined;
};
type Unlettered<T> = T extends unknown ? Omit<T, 'refId'> : never;

/** A line for each series, over the time range. `legend` may hold `{{label}}`. */
export function range(expr: string, legend: string): Query {
  return { expr, legendFormat: legend, range: true, instant: false, format: 'time_series' };
}

/** A number for each series, at the end of the time range. */
export function instant(expr: string, legend: string): Query {
  return { expr, legendFormat: legend, range: false, instant: true, format: 'time_series' };
}

/** A row for each series at the end of the time range, a column for each label. */
export function rows(expr: string): Query {
  return { expr, range: false, instant: true, format: 'table', legendFormat: '' };
}

/** A list of the main API, whole: lists of machines have thousands of rows. It has all of its columns, unless some are given. */
export function listOf(path: string, more: Partial<ListQuery> = {}): TypedQuery {
  const { params, columns } = listAt(path)!;
  return { queryType: 'platform', path, root: ROOT, params, maxPages: 100, columns, ...more } as TypedQuery;
}

/** With a point at the end of the range, where the grid of steps ends hours before. */
export const untilEnd = (query: Query): Query =>
  query.queryType || !query.range ? query : { ...query, untilEnd: true };

/** A query as Grafana saves it. `interval` is the shortest step of PromQL. */
export const target = (query: Query, refId: string, interval: string) => {
  const saved = { ...query, refId, datasource: dataSource };
  return query.queryType ? saved : { editorMode: 'code', ...saved, interval };
};

/** A, B, C, … */
export const letter = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);
