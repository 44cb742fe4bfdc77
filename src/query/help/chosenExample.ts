import { cloneDeep, isMatch } from 'lodash';
import type { GpuCloudQuery } from '../../types';

/** The example that was clicked last and has not run yet. */
let waiting: GpuCloudQuery | undefined;

/**
 * Grafana fills a clicked example in but doesn't run it, and gives the help no way to. So the help notes the example, and
 * the editor of the query that it becomes runs it.
 *
 * @returns a copy of the example for Grafana, which writes a data source into it
 */
export function chooseExample(example: GpuCloudQuery): GpuCloudQuery {
  waiting = cloneDeep(example);
  return cloneDeep(example);
}

/** True, once, for the query that the chosen example has become. */
export function takeExample(query: GpuCloudQuery): boolean {
  const isIt = waiting !== undefined && isMatch(query, { ...waiting, refId: query.refId });
  if (isIt) {
    waiting = undefined;
  }
  return isIt;
}
