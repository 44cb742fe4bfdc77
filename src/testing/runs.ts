import type { BackendSrvRequest } from '@grafana/runtime';
import { range } from './grafana';

const START = range.from.valueOf();
const HOUR = 3_600_000;

/** The columns of a response to a `runs` query. */
const COLUMNS: Record<string, unknown[]> = {
  run_id: ['ftjob-1', 'ftjob-2'],
  run: ['support-bot', 'larger-batch'],
  status: ['succeeded', 'running'],
  start: [START, START + HOUR],
  end: [START + 2 * HOUR, null],
  length: [7200, 5400],
  attribution: ['labels', 'unknown'],
  gpus: [8, null],
  model: ['meta/llama', 'meta/llama'],
};

/** A response for `fakeGrafana`: two runs, empty lists of the gateway, and of Prometheus. */
export function twoRuns({ url, data }: BackendSrvRequest): unknown {
  if (url.includes('/resources/')) {
    return url.includes('/resources/api/') ? { status: 'success', data: [] } : [];
  }
  const [{ refId }] = data.queries;
  return { results: { [refId]: { status: 200, frames: [frame()] } } };
}

/** A response for `fakeGrafana`: no run, and a sentence about that. */
export function noRuns(notice: string): (request: BackendSrvRequest) => unknown {
  return (request) => {
    const [{ refId }] = request.data?.queries ?? [{}];
    const frames = [
      { schema: { fields: [], meta: { notices: [{ severity: 'info', text: notice }] } }, data: { values: [] } },
    ];
    return request.url.includes('/resources/') ? [] : { results: { [refId]: { status: 200, frames } } };
  };
}

function frame() {
  const types: Record<string, string> = { start: 'time', end: 'time', length: 'number', gpus: 'number' };
  const fields = Object.keys(COLUMNS).map((name) => ({ name, type: types[name] ?? 'string' }));
  return { schema: { fields }, data: { values: Object.values(COLUMNS) } };
}
