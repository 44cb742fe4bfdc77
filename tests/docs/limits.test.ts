// docs/reference/limits.md has the values of the backend's constants.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { goConstant } from './goConstants.mjs';

/** What a row begins with, and the package and the names of the constants in its column _At most_. */
const ROWS: Array<[row: string, folder: string, ...names: string[]]> = [
  ['Points of a series', 'pkg/prom/promql', 'MaxPoints'],
  ['A response, decompressed', 'pkg/plugin', 'defaultMaxResponse'],
  ['Series of a PromQL result', 'pkg/plugin', 'defaultMaxSeries'],
  ['Headers of a response', 'pkg/transport', 'maxHeaderBytes'],
  ['Text of a result', 'pkg/plugin', 'maxText'],
  ['Points of a PromQL result', 'pkg/plugin', 'defaultMaxPoints'],
  ['Requests to a service at a time', 'pkg/plugin', 'defaultMaxConcurrent'],
  ['Requests to a service at a time', 'pkg/gateway', 'maxConcurrentFetches'],
  ['Retries of a request', 'pkg/transport', 'maxRetries', 'minParallelRetries'],
  ['Jobs, training files', 'pkg/gateway', 'maxFiles'],
  ['Records of a list of the tuning gateway', 'pkg/gateway', 'maxListBytes'],
  ['Metadata of a job', 'pkg/query', 'maxTexts'],
  ["Values of a job's metrics", 'pkg/gateway', 'maxSamples', 'maxMetrics'],
  ['A response with a list', 'pkg/query', 'maxBody', 'MaxMembers'],
  ['A text of a PromQL result', 'pkg/prom/promjson', 'maxText'],
  ['Checkpoints, events of a job', 'pkg/gateway', 'maxCheckpoints', 'maxEvents'],
  ['Rows of a table of checkpoints', 'pkg/jobs', 'maxCheckpointRows', 'maxMetricColumns'],
  ['Log lines of events', 'pkg/jobs', 'maxLogLines'],
  ['Jobs with curves', 'pkg/jobs', 'maxCurveJobs', 'maxCurves'],
  ['Values of a table of curves', 'pkg/runs', 'maxCells'],
  ['Jobs of a timeline, changes of status', 'pkg/jobs', 'maxTimelineJobs', 'maxTimelineTimes'],
  ['Annotations of jobs', 'pkg/jobs', 'maxAnnotations'],
  ['Jobs with annotations of checkpoints', 'pkg/jobs', 'maxAnnotatedJobs'],
  ['Time for the details of jobs', 'pkg/gateway', 'maxFetchWait', 'defaultDetailsTimeout'],
  ['Pause after a 429', 'pkg/gateway', 'maxPause'],
  ['Time in the cache, of lists', 'pkg/mainapi', 'responseTTL'],
  ['_Save & test_', 'pkg/plugin', 'healthTimeout'],
  ['Selectors `match[]`', 'pkg/prom/promql', 'maxSelectors'],
  ['Requests for parts', 'pkg/prom', 'partsAtOnce'],
  ['Memory to decompress', 'pkg/transport', 'maxZstdWindow'],
  ['Wait for the reader', 'pkg/plugin', 'stallTimeout'],
  ['Pages of a list of the main API', 'pkg/mainapi', 'defaultMaxPages'],
  ['Requests to the Prometheus API', 'pkg/plugin', 'maxLarge', 'maxSmallResponse'],
  ['Scrapes of', 'pkg/plugin', 'maxFeeds'],
  ['Requests of a federation', 'pkg/transport', 'MaxRequests'],
  ['Requests of an export', 'pkg/prom', 'maxExportRequests'],
  ['Names or values of a list', 'pkg/prom', 'maxNames'],
  ['Exports at a time', 'pkg/plugin', 'maxFeeds'],
  ['Downloads of checkpoints', 'pkg/plugin', 'maxDownloads'],
  ['Queries of a request', 'pkg/plugin', 'maxRequestQueries', 'maxRequestBytes', 'maxRefID'],
  ['Queries of a service at a time', 'pkg/plugin', 'maxConcurrentQueries', 'maxQueuedQueries', 'maxQueuedBytes'],
  ['Requests of a request', 'pkg/transport', 'MaxRequests'],
  ['Query that is parsed', 'pkg/prom/promql', 'maxLength', 'maxDepth', 'maxOperators'],
  ['Query with its filters', 'pkg/prom', 'maxFilteredExpr'],
  ['Ad-hoc filters, filters of scopes', 'pkg/prom', 'maxFilters'],
  ['Legend', 'pkg/prom', 'maxLegend'],
  ['Cells of a table', 'pkg/prom', 'maxCells'],
  ['Form posted to the Prometheus API', 'pkg/plugin', 'maxForm'],
  ['Jobs, statuses, models, metrics', 'pkg/query', 'MaxChoices'],
  ['Such a value', 'pkg/query', 'maxChoice'],
  ['Chosen jobs that', 'pkg/jobs', 'maxRetrieved'],
  ['Numbers of a count', 'pkg/jobs', 'maxExpected'],
  ['Notices of a query', 'pkg/query', 'maxNotices'],
  ['Expression, selector', 'pkg/runs', 'maxText'],
  ['Runs of a table', 'pkg/runs', 'maxTableRuns'],
  ['Runs of a comparison', 'pkg/runs', 'defaultMaxRuns', 'maxTableRuns'],
  ['Runs given by hand', 'pkg/runs', 'maxManualRuns'],
  ['Labels that tell series apart', 'pkg/runs', 'maxByLabels'],
  ['Name of a run, value', 'pkg/runs', 'maxRunName', 'maxLabelValue'],
  ['Matchers of the GPUs', 'pkg/runs', 'maxSelector'],
  ['PromQL that is made for a run', 'pkg/runs', 'maxGenerated'],
  ['PromQL queries about runs', 'pkg/runs', 'maxParallel'],
  ['Curves of a comparison', 'pkg/runs', 'maxCurves', 'maxCurvePoints'],
  ['Annotations of runs', 'pkg/runs', 'maxAnnotations'],
  ['Jobs of training health', 'pkg/runs', 'maxExamined', 'maxTableRuns'],
  ['Series of training health', 'pkg/runs', 'maxSeries', 'seriesPoints'],
  ["Points of a job's curve", 'pkg/runs', 'maxPoints'],
  ['Points of all curves', 'pkg/runs', 'maxExaminedPoints'],
  ['Points at which GPUs', 'pkg/runs', 'maxGridPoints', 'maxGridSamples', 'leastGridPoints'],
  ['GPUs wanted', 'pkg/placement', 'maxGPUs'],
  ['GPU types, locations', 'pkg/query', 'MaxChoices'],
  ['Products at locations', 'pkg/placement', 'maxProducts'],
  ['Path', 'pkg/mainapi', 'maxPathBytes'],
  ['Root, selector', 'pkg/mainapi', 'maxTextBytes', 'maxNames'],
  ['Filter |', 'pkg/mainapi', 'maxTextBytes'],
  ['Filter |', 'pkg/query', 'MaxChoices'],
  ['Parameters', 'pkg/mainapi', 'maxParams', 'maxParamBytes'],
  ['Pages |', 'pkg/mainapi', 'pageLimit'],
  ['Columns', 'pkg/mainapi', 'maxColumns', 'maxMembers'],
  ['Products, locations', 'pkg/query', 'MaxChoices'],
  ['Products, locations', 'pkg/mainapi', 'maxParamBytes'],
  ['Items', 'pkg/mainapi', 'maxItems', 'maxListBytes'],
  ['Cells |', 'pkg/mainapi', 'maxValues'],
  ['Text in the cells', 'pkg/mainapi', 'maxCellText'],
  ['Series over time', 'pkg/mainapi', 'maxSeries'],
  ['Labels of the numbers', 'pkg/mainapi', 'maxLabels'],
];

/** Where a text has a number, as the page writes it: `11,000`, or in bytes, `8 KiB`, `1 MiB` and `256 MB`. */
function find(text: string, value: number): RegExpExecArray | null {
  const bytes = (unit: number, name: string) =>
    value % unit === 0 && value >= unit ? [`${value / unit} ${name}(?!\\w)`] : [];
  const plain = `${value.toLocaleString('en-US')}(?![\\d]|[,.]\\d| ?[KMG]i?B)`;
  const numbers = [plain, ...bytes(1024, 'KiB'), ...bytes(2 ** 20, 'Mi?B')].join('|');
  return new RegExp(`(?<![\\d,.])(${numbers})`).exec(text);
}

const has = (text: string, value: number) => find(text, value) !== null;

describe('docs/reference/limits.md', () => {
  const lines = readFileSync(join(root, 'docs/reference/limits.md'), 'utf8').replace(/ +/g, ' ').split('\n');
  for (const [row, folder, ...names] of ROWS) {
    const [, , atMost = ''] = lines.find((line) => line.startsWith(`| ${row}`))?.split('|') ?? [];
    it(`has ${names.join(', ')} of ${folder}`, () => {
      for (const name of names) {
        const value = goConstant(folder, name);
        assert.ok(has(atMost, value), `${name} is ${value}; the page has “${atMost}”`);
      }
    });
  }
});
