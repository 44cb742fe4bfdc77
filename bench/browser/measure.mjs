// Measures dashboards of a Grafana in Chromium. The bench runs it: `GRAFANA_URL=… npm run bench -- -only browser`. Reads a task as
// JSON: the address of Grafana, who signs in, and two sides, which take turns. Prints the figures of each side as JSON.
import { text } from 'node:stream/consumers';
import { startChromium } from './chromium.mjs';
import { openEditor, typeToCompletion } from './editor.mjs';
import { heapOf, openDashboard, refresh } from './dashboard.mjs';

/** The first letters of metrics, and a metric that is offered for them. */
const COMPLETIONS = [
  ['DCGM_FI_DEV_GPU_U', 'DCGM_FI_DEV_GPU_UTIL'],
  ['DCGM_FI_DEV_POW', 'DCGM_FI_DEV_POWER_USAGE'],
];

const MINUTE = 60_000;

const task = JSON.parse(await text(process.stdin));
const figures = new Map(task.sides.map((side) => [side, {}]));
const browser = await startChromium(task);
try {
  for (let visit = 0; visit < task.visits; visit++) {
    for (const side of inTurn(visit)) {
      await measureVisit(side, `visit ${visit + 1} of ${task.visits}`);
    }
  }
  for (let hour = 0; hour < task.hours; hour++) {
    for (const side of inTurn(hour)) {
      await measureRefreshes(side);
    }
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(task.sides.map((side) => figures.get(side))));

/** The sides in the order of a round: who goes first alternates. */
function inTurn(round) {
  return round % 2 === 0 ? task.sides : task.sides.toReversed();
}

/** @param {string} name of a row of the bench's table */
function note(side, name, value) {
  (figures.get(side)[name] ??= []).push(value);
}

/** A new browser opens a dashboard, opens it again, edits a panel and types into its query. */
async function measureVisit(side, what) {
  console.error(`  ${side.datasource}, ${what}`);
  await browser.emptyCaches(side);
  const page = await browser.newPage();
  const cold = await openDashboard(page, side);
  note(side, 'first paint, cold', cold.painted);
  note(side, 'everything to the browser, cold', cold.bytes);
  note(side, 'results to the browser, first paint', cold.results);
  const warm = await openDashboard(page, side);
  note(side, 'first paint, warm', warm.painted);

  note(side, 'query editor opened, cold', await openEditor(page, side));
  for (const [index, [letters, metric]] of COMPLETIONS.entries()) {
    const took = await typeToCompletion(page, letters, metric);
    note(side, `typing to completion, ${index === 0 ? 'first' : 'again'}`, took);
  }
  await openDashboard(page, side);
  note(side, 'query editor opened, warm', await openEditor(page, side));
  await page.context().close();
}

/** A page is refreshed as often as in an hour. Its clock begins an hour ago and goes on by a minute each time. */
async function measureRefreshes(side) {
  await browser.emptyCaches(side);
  let shift = -task.refreshes * MINUTE;
  const page = await browser.newPage({ shift });
  await openDashboard(page, side);
  note(side, 'heap after the first paint', await heapOf(page));
  for (let n = 1; n <= task.refreshes; n++) {
    shift += MINUTE;
    const { took, results } = await refresh(page, side, shift);
    note(side, 'refresh a minute later', took);
    note(side, 'results to the browser, a refresh', results);
    if (n % 20 === 0) {
      console.error(`  ${side.datasource}, ${n} of ${task.refreshes} refreshes`);
    }
  }
  note(side, 'heap after an hour of refreshes', await heapOf(page));
  await page.context().close();
}
