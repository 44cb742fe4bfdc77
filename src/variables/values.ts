import { DataFrameView, type DataQueryRequest, type MetricFindValue } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import type { GpuCloud } from '../GpuCloud';
import { queryFrames } from '../queryFrames';
import { chosenBy } from '../saved/choices';
import type { TypedQuery } from '../types';
import { sourceProblem } from '../types/runSource';
import { templatesOf } from '../types/templates';
import type { GpuCloudVariableQuery, TypedVariableQuery } from './query';

/** A row of a result, or an item of a list for editors. */
type Row = object;

/**
 * The values of a variable that is not PromQL, each once, in the order of the result that has them. If that fails, so does the
 * variable, with a sentence.
 */
export async function valuesOf(
  query: TypedVariableQuery,
  request: DataQueryRequest<GpuCloudVariableQuery>,
  dataSource: GpuCloud,
  variables: TemplateSrv
): Promise<MetricFindValue[]> {
  const { gateway } = dataSource;
  const { refId, datasource } = query;
  const of = async (target: TypedQuery, value: string, text?: string) =>
    named(await rowsOf(target, request, dataSource), value, text);
  switch (query.queryType) {
    case 'fineTuningJobs': {
      const { list } = templatesOf(variables, request.scopedVars, (expr) => expr);
      const hasStatus = chosenBy(list(query.statuses ?? []));
      const hasModel = chosenBy(list(query.models ?? []));
      const jobs = await gateway.jobs();
      return named(
        jobs.filter(({ status, model }) => hasStatus(status) && hasModel(model)),
        'id',
        'name'
      );
    }
    case 'fineTuningModels':
      return named(await gateway.models(), 'id', 'name');
    case 'fineTuningStatuses':
      return named(await gateway.statuses(), 'status');
    case 'fineTuningCheckpoints': {
      const rows = (await rowsOf(query, request, dataSource)) as Array<{ checkpoint_id?: string; step?: number }>;
      const withStep = rows.map(({ checkpoint_id: id, step }) => ({ id, text: step && `${id} (step ${step})` }));
      return named(withStep, 'id', 'text');
    }
    case 'runs':
    case 'runLabels': {
      const { source } = query;
      const problem = sourceProblem(source);
      if (problem) {
        throw new Error(problem);
      }
      const runs: TypedQuery = { refId, datasource, queryType: 'runs', source, measures: [] };
      return query.queryType === 'runs'
        ? of(runs, 'run_id', 'run')
        : of(runs, variables.replace(query.label, request.scopedVars) || 'run');
    }
    case 'capacityProducts':
      return sorted(await of({ refId, datasource, queryType: 'capacities' }, 'type'));
    case 'capacityLocations':
      return sorted(await of({ ...query, queryType: 'capacities' }, 'location'));
    case 'platform': {
      const { valueSelector, textSelector, ...list } = query;
      if (!list.path || !valueSelector) {
        throw new Error('Choose a list, and which member of its items is the value.');
      }
      const text = textSelector ? [{ selector: textSelector, name: 'text', type: 'string' as const }] : [];
      return of(
        { ...list, columns: [{ selector: valueSelector, name: 'value', type: 'string' }, ...text] },
        'value',
        'text'
      );
    }
  }
}

/** The rows of a query's result. Rows without a value have a misspelt member, which the backend says in a notice. */
async function rowsOf(
  query: TypedQuery,
  request: DataQueryRequest<GpuCloudVariableQuery>,
  dataSource: GpuCloud
): Promise<Row[]> {
  const frames = await queryFrames(dataSource, { ...request, targets: [query] });
  const [notice] = frames.flatMap(({ meta }) => meta?.notices ?? []);
  const values = frames.flatMap(({ fields }) => fields.flatMap((field) => field.values));
  if (notice && values.length > 0 && values.every((value) => value === null)) {
    throw new Error(notice.text);
  }
  return frames.flatMap((frame) => new DataFrameView<Row>(frame).toArray());
}

/** What rows have in one member, shown as in another if they have it. The text of the first row with a value counts. */
function named(rows: Row[], value: string, text = value): MetricFindValue[] {
  const texts = new Map<string, string>();
  for (const row of rows as Array<Record<string, unknown>>) {
    const found = String(row[value] ?? '');
    if (found && !texts.has(found)) {
      texts.set(found, String(row[text] ?? '') || found);
    }
  }
  return [...texts].map(([found, shown]) => ({ value: found, text: shown }));
}

const sorted = (values: MetricFindValue[]) => values.sort((a, b) => (a.text < b.text ? -1 : 1));
