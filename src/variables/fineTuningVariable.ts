import {
  DataFrameView,
  type DataFrame,
  type DataQueryRequest,
  type MetricFindValue,
  type ScopedVars,
} from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import type { GpuCloud } from '../GpuCloud';
import { queryFrames } from '../queryFrames';
import { chosenBy } from '../saved/choices';
import { interpolateList } from '../saved/interpolate';
import type { CheckpointsVariableQuery, FineTuningVariableQuery, JobsVariableQuery } from '../types';

/** The values of a variable about fine-tuning. If the gateway fails, so does the variable. */
export async function fineTuningValues(
  request: DataQueryRequest<FineTuningVariableQuery>,
  dataSource: GpuCloud,
  templates: TemplateSrv
): Promise<MetricFindValue[]> {
  const [query] = request.targets;
  const { gateway } = dataSource;
  switch (query.queryType) {
    case 'fineTuningJobs':
      return jobs(query, dataSource, templates, request.scopedVars);
    case 'fineTuningModels':
      return (await gateway.models()).map(({ id, name }) => ({ text: name || id, value: id }));
    case 'fineTuningStatuses':
      return (await gateway.statuses()).map(({ status }) => ({ text: status, value: status }));
    case 'fineTuningCheckpoints':
      return checkpoints({ ...request, targets: [query] }, dataSource);
  }
}

async function jobs(
  query: JobsVariableQuery,
  { gateway }: GpuCloud,
  templates: TemplateSrv,
  scopedVars: ScopedVars
): Promise<MetricFindValue[]> {
  const chosen = (list: string[] = []) => chosenBy(interpolateList(list, templates, scopedVars));
  const hasStatus = chosen(query.statuses);
  const hasModel = chosen(query.models);
  return (await gateway.jobs())
    .filter(({ status, model }) => hasStatus(status) && hasModel(model))
    .map(({ id, name }) => ({ text: name || id, value: id }));
}

/** The checkpoints of the chosen jobs, or of those in the time range, newest job first. */
async function checkpoints(
  request: DataQueryRequest<CheckpointsVariableQuery>,
  dataSource: GpuCloud
): Promise<MetricFindValue[]> {
  return (await queryFrames(dataSource, request)).flatMap(checkpointValues);
}

function checkpointValues(frame: DataFrame): MetricFindValue[] {
  const rows = new DataFrameView<{ checkpoint_id: string | null; step: number | null }>(frame).toArray();
  return rows.flatMap(({ checkpoint_id: id, step }) =>
    id ? [{ text: step === null ? id : `${id} (step ${step})`, value: id }] : []
  );
}
