import { from, map, type Observable } from 'rxjs';
import { DataFrameView, type DataFrame, type DataQueryRequest, type MetricFindValue } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import { t } from '../i18n';
import type { GpuCloud } from '../GpuCloud';
import { framesOf } from '../queryFrames';
import { chosenBy } from '../saved/choices';
import type { TypedQuery } from '../types';
import { templatesOf } from '../types/templates';
import type { GpuCloudVariableQuery, TypedVariableQuery } from './query';

/** Where a variable's values are: items for editors, or the rows of a query's result, and the members that have them. */
interface Source {
  items: Promise<object[]> | TypedQuery;
  value: string;
  /** What is shown for a value, if not the value itself. */
  shown?: string;
}

type Row = Record<string, unknown>;

/**
 * The values of a variable that is not PromQL, each once, in the order of the result that has them. If that fails, so does the
 * variable, with a sentence. A query that is not waited for any more is canceled.
 */
export function valuesOf(
  query: TypedVariableQuery,
  request: DataQueryRequest<GpuCloudVariableQuery>,
  dataSource: GpuCloud,
  variables: TemplateSrv
): Observable<MetricFindValue[]> {
  const { items, ...source } = sourceOf(query, request, dataSource, variables);
  // Grafana says it of panels only. A service that is not set up has nothing for a dashboard, and is an error elsewhere.
  const dashboardUID = variables.replace('${__dashboard.uid}', request.scopedVars);
  const rows =
    'queryType' in items
      ? dataSource
          .query({ ...request, targets: [items], dashboardUID })
          .pipe(map((response) => rowsOf(framesOf(response))))
      : from(items as Promise<Row[]>);
  return rows.pipe(map((found) => named(found, source)));
}

function sourceOf(
  query: TypedVariableQuery,
  { scopedVars }: DataQueryRequest<GpuCloudVariableQuery>,
  { lists }: GpuCloud,
  variables: TemplateSrv
): Source {
  const { refId, datasource } = query;
  switch (query.queryType) {
    case 'fineTuningJobs': {
      const { list } = templatesOf(variables, scopedVars, (expr) => expr);
      const hasStatus = chosenBy(list(query.statuses ?? []));
      const hasModel = chosenBy(list(query.models ?? []));
      const jobs = lists.jobs().then((all) => all.filter((job) => hasStatus(job.status) && hasModel(job.model)));
      return { items: jobs, value: 'id', shown: 'name' };
    }
    case 'fineTuningModels':
      return { items: lists.models(), value: 'id' };
    case 'fineTuningStatuses':
      return { items: lists.statuses(), value: 'status' };
    case 'runs':
    case 'runLabels': {
      const { source } = query;
      const items: TypedQuery = { refId, datasource, queryType: 'runs', source, measures: [] };
      return query.queryType === 'runs'
        ? { items, value: 'run_id', shown: 'run' }
        : { items, value: variables.replace(query.label, scopedVars) || 'run' };
    }
    case 'platform': {
      const { valueSelector, textSelector, ...list } = query;
      if (!list.path || !valueSelector) {
        throw new Error(t('Choose a list, and which member of its items is the value.'));
      }
      const text = textSelector ? [{ selector: textSelector, name: 'text', type: 'string' as const }] : [];
      const columns = [{ selector: valueSelector, name: 'value', type: 'string' as const }, ...text];
      return { items: { ...list, columns }, value: 'value', shown: 'text' };
    }
  }
}

/** The rows of a query's result. Rows without a value have a misspelt member, which the backend says in a notice. */
function rowsOf(frames: DataFrame[]): Row[] {
  const [notice] = frames.flatMap(({ meta }) => meta?.notices ?? []);
  const values = frames.flatMap(({ fields }) => fields.flatMap((field) => field.values));
  if (notice && values.length > 0 && values.every((value) => value === null)) {
    throw new Error(notice.text);
  }
  return frames.flatMap((frame) => new DataFrameView<Row>(frame).toArray());
}

/** The text of the first row with a value counts. */
function named(rows: Row[], { value, shown = value }: Omit<Source, 'items'>): MetricFindValue[] {
  const texts = new Map<string, string>();
  for (const row of rows) {
    const found = String(row[value] ?? '');
    if (found && !texts.has(found)) {
      texts.set(found, String(row[shown] ?? '') || found);
    }
  }
  return [...texts].map(([found, text]) => ({ value: found, text }));
}
