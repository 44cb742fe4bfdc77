import React, { useMemo } from 'react';
import { CoreApp, dateTimeFormat, dateTimeFormatTimeAgo, type PanelData } from '@grafana/data';
import { locationService } from '@grafana/runtime';
import { Button } from '@grafana/ui';
import type { GpuCloud } from '../../GpuCloud';
import { Hint } from '../../help/Hint';
import { selectsJobs } from '../../queryTypes';
import type { JobChoice } from '../../tuning/Gateway';
import { lifeOf, newestJobElsewhere } from '../../tuning/newestJob';
import type { FineTuningQuery } from '../../types';
import type { GpuCloudQueryEditorProps } from '../editorProps';
import { isEmptyResult } from '../isEmptyResult';
import { useList } from '../useList';

type Props = Pick<GpuCloudQueryEditorProps, 'app' | 'data' | 'range'> & {
  query: FineTuningQuery;
  datasource: GpuCloud;
};

/** Explains an empty result: no job overlaps the time range. A click leads to the newest one. */
export function NoJobsHint(props: Props) {
  return props.data && isEmptyResult(props.data, props.query.refId) && selectsJobs(props.query) ? (
    <NewestJobHint {...props} data={props.data} />
  ) : null;
}

function NewestJobHint({ query, datasource, data, app }: Props & { data: PanelData }) {
  const { items } = useList(datasource.gateway.jobs);
  const { from, to } = data.timeRange;
  const newest = useMemo(
    () =>
      newestJobElsewhere(items, datasource.interpolateFilters(query, data.request?.scopedVars ?? {}), {
        from: from.valueOf(),
        to: to.valueOf(),
      }),
    [items, datasource, query, data.request?.scopedVars, from, to]
  );
  if (!newest) {
    return null;
  }
  const around = surroundings(newest);
  const at = dateTimeFormat(newest.finished ?? newest.created ?? 0, MINUTES);
  const advice = hasOwnRange(app) ? '' : ` Choose a range that includes ${at}.`;
  return (
    <Hint text={`No jobs overlap this range. ${whenOf(newest)}${advice}`}>
      {hasOwnRange(app) && (
        <Button
          size="sm"
          variant="secondary"
          onClick={() => locationService.partial({ from: String(around.from), to: String(around.to) })}
        >
          Go there
        </Button>
      )}
    </Hint>
  );
}

/** Grafana gives editors no way to set the time range. A dashboard takes it from the page's address; Explore doesn't. */
function hasOwnRange(app: CoreApp | undefined): boolean {
  return app === CoreApp.PanelEditor || app === CoreApp.Dashboard;
}

function whenOf({ name, created, finished }: JobChoice): string {
  const at = finished ?? created;
  const ago = at === null ? '' : ` ${dateTimeFormatTimeAgo(at)}`;
  return `The newest, ${name}, ${finished === null ? 'was created' : 'finished'}${ago}.`;
}

const MINUTES = { format: 'YYYY-MM-DD HH:mm' };

/** A time range with the job in its middle. */
function surroundings(job: JobChoice): { from: number; to: number } {
  const now = Date.now();
  const { from, to } = lifeOf(job, now) ?? { from: now, to: now };
  const margin = Math.max((to - from) / 10, 5 * 60_000);
  return { from: Math.floor(from - margin), to: Math.ceil(to + margin) };
}
