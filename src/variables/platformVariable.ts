import { DataFrameView, type DataFrame, type DataQueryRequest, type MetricFindValue } from '@grafana/data';
import { columnOf } from '../platform/columnOf';
import type { CapacitiesQuery, Column, ListQuery, PlatformVariableQuery } from '../platform/query';
import { queryFrames, type QueryRunner } from '../queryFrames';

const VALUE = 'value';
const TEXT = 'text';

/**
 * The values of a variable about the main API, each once, in the order of its list. If the main API fails, so does the
 * variable, with the error's sentence.
 */
export async function platformValues(
  request: DataQueryRequest<PlatformVariableQuery>,
  dataSource: QueryRunner
): Promise<MetricFindValue[]> {
  const [query] = request.targets;
  const frames = await queryFrames(dataSource, { ...request, targets: [asQuery(query)] });
  switch (query.queryType) {
    case 'capacityProducts':
      return columnOf(frames, 'type').sort().map(asValue);
    case 'capacityLocations':
      return columnOf(frames, 'location').sort().map(asValue);
    case 'platform':
      return namedOrWhyNot(frames);
  }
}

/** A list with items and without a value has a misspelt member, which the backend says in a notice. */
function namedOrWhyNot(frames: DataFrame[]): MetricFindValue[] {
  const named = frames.flatMap(namedValues);
  const [notice] = frames.flatMap(({ meta }) => meta?.notices ?? []);
  if (named.length === 0 && notice && frames.some(({ length }) => length > 0)) {
    throw new Error(notice.text);
  }
  return named;
}

/** The query that has a variable's values. */
function asQuery(query: PlatformVariableQuery): CapacitiesQuery | ListQuery {
  const { refId, datasource } = query;
  switch (query.queryType) {
    case 'capacityProducts':
      return { refId, datasource, queryType: 'capacities' };
    case 'capacityLocations':
      return { refId, datasource, queryType: 'capacities', productNames: query.productNames };
    case 'platform': {
      const { valueSelector, textSelector, ...list } = query;
      if (!list.path || !valueSelector) {
        throw new Error('Choose a list, and which member of its items is the value.');
      }
      const columns: Column[] = [{ selector: valueSelector, name: VALUE, type: 'string' }];
      if (textSelector) {
        columns.push({ selector: textSelector, name: TEXT, type: 'string' });
      }
      return { ...list, columns };
    }
  }
}

/** The different values of a list, each with the text of the first item that has it. */
function namedValues(frame: DataFrame): MetricFindValue[] {
  const named = new Map<string, string>();
  new DataFrameView<Record<string, unknown>>(frame).forEach((row) => {
    const value = String(row[VALUE] ?? '');
    if (value && !named.has(value)) {
      named.set(value, String(row[TEXT] ?? '') || value);
    }
  });
  return [...named].map(([value, text]) => ({ value, text }));
}

const asValue = (value: string): MetricFindValue => ({ text: value, value });
