import type { ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import { interpolateList } from '../tuning/interpolate';
import { pickOwnFields } from '../saved/ownFields';
import type { CapacitiesQuery, ListQuery, PlacementQuery, PlatformQuery } from './query';

/**
 * Fills dashboard variables into every option of a query.
 *
 * In lists of products and locations, a variable with several values becomes as many entries. Elsewhere its values are
 * joined by commas, as the main API takes them. What the backend fills in is left to it: ids of the settings, macros.
 */
export function interpolatePlatform(
  query: PlatformQuery,
  templates: TemplateSrv,
  scopedVars: ScopedVars
): PlatformQuery {
  const own = pickOwnFields(query);
  switch (own.queryType) {
    case 'capacities':
      return capacities(own, templates, scopedVars);
    case 'placement':
      return placement(own, templates, scopedVars);
    case 'platform':
      return list(own, templates, scopedVars);
  }
}

function capacities(query: CapacitiesQuery, templates: TemplateSrv, scopedVars: ScopedVars): CapacitiesQuery {
  const fill = (values?: string[]) => values && interpolateList(values, templates, scopedVars);
  return {
    ...query,
    productNames: fill(query.productNames),
    locations: fill(query.locations),
    format: query.format && (templates.replace(query.format, scopedVars) as CapacitiesQuery['format']),
    gpusNeeded: query.gpusNeeded && templates.replace(query.gpusNeeded, scopedVars),
  };
}

function placement(query: PlacementQuery, templates: TemplateSrv, scopedVars: ScopedVars): PlacementQuery {
  const fill = (values?: string[]) => values && interpolateList(values, templates, scopedVars);
  return {
    ...query,
    gpus: query.gpus === undefined ? undefined : templates.replace(String(query.gpus), scopedVars),
    types: fill(query.types),
    locations: fill(query.locations),
    format: query.format && (templates.replace(query.format, scopedVars) as PlacementQuery['format']),
  };
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
