// docs/limits.md has the values of the backend's constants.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { goConstant } from '../../scripts/reference/goConstants.mjs';

/** What a row begins with, and the package and the names of the constants in its column _At most_. */
const ROWS: Array<[row: string, folder: string, ...names: string[]]> = [
  ['Points of a series', 'pkg/promclient/promql', 'MaxPoints'],
  ['A response, decompressed', 'pkg/plugin', 'defaultMaxResponse'],
  ['Series of a PromQL result', 'pkg/plugin', 'defaultMaxSeries'],
  ['Points of a PromQL result', 'pkg/plugin', 'defaultMaxPoints'],
  ['Requests to a service at a time', 'pkg/plugin', 'defaultMaxConcurrent'],
  ['Requests to a service at a time', 'pkg/tuning', 'maxConcurrentRequests'],
  ['Retries of a request', 'pkg/transport', 'maxRetries'],
  ['Jobs, training files', 'pkg/tuning', 'maxFiles'],
  ['Checkpoints, events of a job', 'pkg/tuning', 'maxCheckpoints', 'maxEvents'],
  ['Rows of a table of checkpoints', 'pkg/tuning', 'maxCheckpointRows', 'maxMetricColumns'],
  ['Log lines of events', 'pkg/tuning', 'maxLogLines'],
  ['Jobs with curves', 'pkg/tuning', 'maxCurveJobs'],
  ['Values of a table of curves over steps', 'pkg/tuning', 'maxCells'],
  ['Jobs of a timeline, changes of status', 'pkg/tuning', 'maxTimelineJobs', 'maxTimelineTimes'],
  ['Annotations |', 'pkg/tuning', 'maxAnnotations'],
  ['Annotations of jobs drawn automatically', 'pkg/tuning', 'maxJobPoints', 'maxCheckpointPoints'],
  ['Losses of jobs, checkpoints not drawn', 'pkg/tuning', 'maxLosses'],
  ['Time for the details of jobs', 'pkg/tuning', 'maxFetchWait', 'defaultDetailsTimeout'],
  ['Pause after a 429', 'pkg/tuning', 'maxRetryAfter'],
  ['Pages of a list of the main API', 'pkg/platform', 'defaultMaxPages'],
  ['Queries of a request', 'pkg/plugin', 'maxRequestQueries', 'maxRequestBytes'],
  ['Queries of a data source at a time', 'pkg/plugin', 'maxConcurrentQueries', 'maxQueuedQueries'],
  ['Query that is parsed', 'pkg/promclient/promql', 'MaxLength', 'maxDepth', 'maxOperators'],
  ['Regular expressions of matchers', 'pkg/promclient/promql', 'maxRegexpCost'],
  ['Query with its filters', 'pkg/promclient', 'maxFilteredExpr'],
  ['Ad-hoc filters, filters of scopes', 'pkg/promclient', 'maxFilters', 'maxFilterBytes'],
  ['Legend', 'pkg/promclient', 'maxLegend'],
  ['Cells of a table or heatmap', 'pkg/promclient', 'maxCells'],
  ['Interval factor', 'pkg/promclient', 'maxIntervalFactor'],
  ['Request for suggestions', 'pkg/plugin', 'maxSuggestion'],
  ['Request for suggestions', 'pkg/promclient', 'maxSuggestionBytes'],
  ['Form posted to the Prometheus API', 'pkg/plugin', 'maxForm'],
  ['Jobs, statuses, models, metrics', 'pkg/query', 'MaxChoices'],
  ['Such a value', 'pkg/query', 'maxChoice'],
  ['Chosen jobs that', 'pkg/tuning', 'maxRetrieved'],
  ['Numbers of a count', 'pkg/tuning', 'maxExpected'],
  ['Jobs whose losses', 'pkg/tuning', 'maxResultJobs'],
  ['Notices of a query', 'pkg/query', 'maxNotices'],
  ['Expression, selector', 'pkg/runs', 'maxText'],
  ['Runs of a table', 'pkg/runs', 'maxTableRuns'],
  ['Runs of a comparison', 'pkg/runs', 'defaultMaxRuns', 'maxTableRuns'],
  ['Runs given by hand', 'pkg/runs', 'maxManualRuns'],
  ['Labels that tell series apart', 'pkg/runs', 'maxByLabels'],
  ['Custom measures', 'pkg/runs', 'maxCustom', 'maxCustomEvaluation'],
  ['Runs that are evaluated', 'pkg/runs', 'maxParallelRuns'],
  ['Curves of a comparison', 'pkg/runs', 'maxCurves', 'maxCurvePoints'],
  ['Annotations of runs', 'pkg/runs', 'maxAnnotations'],
  ['Points at which GPUs', 'pkg/runs', 'maxGridPoints'],
  ['GPUs wanted', 'pkg/placement', 'maxGPUs'],
  ['GPU types, locations', 'pkg/placement', 'maxChosen'],
  ['Products at locations', 'pkg/placement', 'maxProducts'],
  ['Quotas of GPUs', 'pkg/placement', 'maxQuotas'],
  ['Columns', 'pkg/platform', 'maxColumns'],
  ['Products, locations', 'pkg/platform', 'maxNames'],
  ['Items', 'pkg/platform', 'maxItems'],
  ['Values that a root', 'pkg/platform', 'maxValues'],
  ['Text in the cells', 'pkg/platform', 'maxCellText'],
  ['Series, values over time', 'pkg/platform', 'maxSeries'],
  ['Intervals of a count', 'pkg/platform', 'maxIntervals'],
];

/** A number as the page writes it: `11,000`, or in bytes, `8 KiB` and `256 MB`. */
function written(value: number): string[] {
  const bytes = (unit: number) => (value % unit === 0 && value >= unit ? [String(value / unit)] : []);
  return [value.toLocaleString('en-US'), ...bytes(1024).map((n) => `${n} Ki`), ...bytes(2 ** 20).map((n) => `${n} M`)];
}

describe('docs/limits.md', () => {
  const lines = readFileSync(join(root, 'docs/limits.md'), 'utf8').replace(/ +/g, ' ').split('\n');
  for (const [row, folder, ...names] of ROWS) {
    it(`has ${names.join(', ')} of ${folder}`, () => {
      const [, , atMost = ''] = lines.find((line) => line.startsWith(`| ${row}`))?.split('|') ?? [];
      for (const name of names) {
        const value = goConstant(folder, name);
        assert.ok(
          written(value).some((text) => new RegExp(`(^|[^\\d,])${text}`).test(atMost)),
          `${name} is ${value}; the page has “${atMost}”`
        );
      }
    });
  }
});
