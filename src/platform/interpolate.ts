import type { ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import { interpolate } from '../saved/interpolate';
import { pickOwnFields } from '../saved/ownFields';
import type { ListQuery, PlatformQuery } from './query';

/**
 * Fills dashboard variables into every option of a query.
 *
 * In lists of products and locations, a variable with several values becomes as many entries. In a list of the main API,
 * its values are joined by commas, as the main API takes them. What the backend fills in is left to it: ids of the
 * settings, macros.
 */
export function interpolatePlatform(
  query: PlatformQuery,
  templates: TemplateSrv,
  scopedVars: ScopedVars
): PlatformQuery {
  return query.queryType === 'platform'
    ? list(pickOwnFields(query), templates, scopedVars)
    : interpolate(query, templates, scopedVars);
}

function list(query: ListQuery, templates: TemplateSrv, scopedVars: ScopedVars): ListQuery {
  const fill = <Text extends string | undefined>(text: Text): Text =>
    (text && templates.replace(text, scopedVars, 'csv')) as Text;
  return {
    ...query,
    path: fill(query.path ?? ''),
    params: query.params?.map(({ name, value }) => ({ name: fill(name), value: fill(value) })),
    root: fill(query.root),
    columns: query.columns?.map((column) => ({
      ...column,
      selector: fill(column.selector),
      name: fill(column.name),
      unit: fill(column.unit),
    })),
    timeColumn: fill(query.timeColumn),
    // The backend refuses a count without a column of times, which the editor no longer shows.
    aggregate: query.timeColumn ? query.aggregate : undefined,
  };
}
