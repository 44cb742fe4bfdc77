// Loads a Grafana with mixed queries while the simulated platform fails now and then: `npm run bench -- --grafana --minutes 30`. It
// fails where a query does long after an outage, where a result of the past changes, and where the plugin's process keeps memory,
// goroutines or files.
import { setTimeout as sleep } from 'node:timers/promises';

const PLUGIN = 'gpucloud-platform-datasource';
const WORKERS = 8;
/** How long after an outage a query may still fail, in milliseconds: the circuit breaker's pause, and the longest retry. */
const RECOVERED = 10_000;
/** How many goroutines and files may be left of what is normal. */
const STRAYS = 12;
/** Idle connections are closed after that long. */
const REST = 120_000;

const FAULTS = [
  ...[500, 503, 504, 429, 401, 404].map((status) => ({ status })),
  { status: 429, headers: { 'Retry-After': '1' } },
  { kind: 'hang' },
  { kind: 'delay', delay: 1e9 },
  { kind: 'cutBody' },
  { kind: 'html', status: 200 },
  { kind: 'redirect', location: 'http://elsewhere.invalid/' },
  { status: 200, body: '' },
];

/** Queries of all services. Results of those of the past stay the same. */
const yesterday = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000;
const PAST = { from: String(yesterday - 7_200_000), to: String(yesterday) };
const LIVE = { from: 'now-6h', to: 'now' };
const QUERIES = [
  ...['DCGM_FI_DEV_GPU_UTIL', 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)', 'topk(5, DCGM_FI_DEV_GPU_TEMP)'].flatMap(
    (expr) => [
      { ...PAST, query: { expr, range: true, interval: '60s' } },
      { ...LIVE, query: { expr, range: true, interval: '60s' } },
    ]
  ),
  { ...PAST, query: { expr: 'DCGM_FI_DEV_GPU_TEMP', instant: true } },
  { ...LIVE, query: { queryType: 'fineTuningJobs' } },
  { ...LIVE, query: { queryType: 'fineTuningAnnotations' } },
  { ...LIVE, query: { queryType: 'fineTuningEvents' } },
  { ...LIVE, query: { queryType: 'trainingFiles' } },
  { ...LIVE, query: { queryType: 'capacities' } },
];

/**
 * @param {{ grafanaUrl: string, simulatorUrl: string, minutes: number }} options
 * @returns {Promise<string[]>} What must not happen and did.
 */
export async function load({ grafanaUrl, simulatorUrl, minutes }) {
  const faults = [];
  const note = (text) => faults.length < 10 && faults.push(text);
  const headers = { Authorization: `Basic ${btoa('admin:admin')}`, 'Content-Type': 'application/json' };
  const call = async (path, options = {}) => {
    const response = await fetch(`${grafanaUrl}${path}`, { headers, ...options });
    return { status: response.status, text: await response.text() };
  };
  const metrics = async () => {
    const { text } = await call(`/metrics/plugins/${PLUGIN}`);
    const value = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      goroutines: value('go_goroutines'),
      files: value('process_open_fds'),
      memory: value('process_resident_memory_bytes'),
    };
  };
  const query = async ({ from, to, query }) => {
    const datasource = { uid: 'gpucloud', type: PLUGIN };
    const body = { from, to, queries: [{ refId: 'A', datasource, intervalMs: 60_000, maxDataPoints: 1000, ...query }] };
    const { text } = await call('/api/ds/query', { method: 'POST', body: JSON.stringify(body) });
    const { error, frames } = JSON.parse(text).results?.A ?? { error: text };
    return { error, result: JSON.stringify(frames?.map(({ data }) => data)) };
  };

  const before = new Map();
  for (const one of QUERIES) {
    const { error, result } = await query(one);
    before.set(one, result);
    error && note(`without a fault: ${error}`);
  }
  const rest = await metrics();
  const end = Date.now() + minutes * 60_000;
  let isFailing = false;
  let healthySince = 0;
  let sent = 0;
  let failed = 0;
  const memory = [];
  const worker = async () => {
    while (Date.now() < end) {
      const one = QUERIES[Math.floor(Math.random() * QUERIES.length)];
      const isExcused = isFailing || Date.now() - healthySince < RECOVERED;
      const { error, result } = await query(one);
      sent++;
      failed += error ? 1 : 0;
      if (error && !isExcused && !isFailing) {
        note(`${JSON.stringify(one.query)} failed long after an outage: ${error}`);
      } else if (!error && one.from === PAST.from && result !== before.get(one)) {
        note(`${JSON.stringify(one.query)} has another result of the past`);
      }
    }
  };
  const outages = async () => {
    for (let n = 0; Date.now() < end - 2 * RECOVERED; n++) {
      await sleep(RECOVERED + 3000);
      isFailing = true;
      const fault = { ...FAULTS[n % FAULTS.length], service: ['', 'metrics', 'tuning', 'main'][n % 4] };
      await fetch(`${simulatorUrl}/_control/faults`, { method: 'POST', body: JSON.stringify(fault) });
      await sleep(2000 + 4000 * Math.random());
      await fetch(`${simulatorUrl}/_control/faults`, { method: 'DELETE' });
      isFailing = false;
      healthySince = Date.now();
      memory.push((await metrics()).memory);
    }
  };
  await Promise.all([...Array.from({ length: WORKERS }, worker), outages()]);

  let after = await metrics();
  const isMore = () => after.goroutines > rest.goroutines + STRAYS || after.files > rest.files + STRAYS;
  for (const begun = Date.now(); isMore() && Date.now() - begun < REST; after = await metrics()) {
    await sleep(1000);
  }
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const third = Math.floor(memory.length / 3);
  const growth = third > 0 ? mean(memory.slice(-third)) / mean(memory.slice(third, 2 * third)) : 1;
  console.log(`${sent} queries, ${failed} of them failed in outages
goroutines at rest: ${rest.goroutines} before, ${after.goroutines} after; open files: ${rest.files}, ${after.files}
memory: at most ${Math.round(Math.max(0, ...memory) / 2 ** 20)} MB, in the last third ${growth.toFixed(2)} × that of the middle one`);
  isMore() && note('goroutines or files are left over');
  growth > 1.1 && note(`memory grows: ${growth.toFixed(2)} ×`);
  return faults;
}
