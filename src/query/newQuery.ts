import { CoreApp } from '@grafana/data';
import { newRunQuery } from '../runs/newQuery';
import { pickCommonFields } from '../saved/ownFields';
import { newTrainingQuery } from '../training/newQuery';
import { switchType } from '../tuning/switchType';
import { missingSettings } from '../config/missing';
import type { PlatformType } from '../platform/query';
import type { GpuCloudOptions, GpuCloudQuery, MetricsQuery } from '../types';
import { newPlatformQuery } from './platform/newPlatformQuery';
import type { GpuCloudQueryEditorProps } from './editorProps';
import { withAlertFormat, type QueryService } from '../queryTypes';

type Place = Pick<GpuCloudQueryEditorProps, 'query' | 'datasource' | 'app'>;

/**
 * The query to start with after a change of service: the one that was left behind, or a new one. It has none of the
 * options of the other service. A new fine-tuning query has a result at once: it shows all jobs of the time range.
 */
export function newQuery(
  service: QueryService,
  { query, datasource, app }: Place,
  left?: GpuCloudQuery
): GpuCloudQuery {
  const place = pickCommonFields(query);
  if (left) {
    return { ...left, ...place };
  }
  switch (service) {
    case 'metrics': {
      const defaults = datasource.metrics.getDefaultQuery(app ?? CoreApp.Unknown);
      return { ...defaults, ...place } satisfies MetricsQuery;
    }
    case 'fineTuning':
      return withAlertFormat(app, switchType(place, 'fineTuningJobs'));
    case 'runs':
      return newRunQuery(place, app, Boolean(datasource.options.intelligenceUrl));
    case 'training':
      return newTrainingQuery(place, app, Boolean(datasource.options.intelligenceUrl));
    case 'platform':
      return newPlatformQuery(newPlatformType(datasource.options), { query: place, ids: datasource.pathIds, app });
  }
}

/** Placement works without the main API if there are metrics. */
const newPlatformType = (options: GpuCloudOptions): PlatformType =>
  missingSettings('Main API', options) && !missingSettings('Metrics', options) ? 'placement' : 'capacities';
