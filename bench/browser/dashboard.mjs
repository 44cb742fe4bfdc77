const QUERIES = '/api/ds/query';

/** How long a dashboard may take, in milliseconds. */
const PATIENCE = 120_000;

/**
 * Opens a dashboard, or opens it again, by its address.
 *
 * @param {import('playwright').Page} page
 * @returns `painted`: milliseconds from the beginning until every panel has drawn its series; `bytes` that the browser got over
 *   the network, and `results`: those of them that are results of queries
 */
export async function openDashboard(page, { dashboard, panels }) {
  const received = count(page);
  await page.goto(`/d/${dashboard}`, { waitUntil: 'commit', timeout: PATIENCE });
  const painted = await page.evaluate(untilPainted, panels);
  const { bytes, results } = await received.end();
  return { painted, bytes, results };
}

/** Runs in the page: the milliseconds since its beginning, once every panel shows a chart and none is loading. */
function untilPainted(panels) {
  return new Promise((resolve) => {
    const look = () => {
      const charts = document.querySelectorAll('.uplot canvas').length;
      if (charts >= panels && !document.querySelector('[aria-label="Panel loading bar"]')) {
        requestAnimationFrame(() => resolve(performance.now()));
      } else {
        requestAnimationFrame(look);
      }
    };
    look();
  });
}

/**
 * Presses the dashboard's refresh button, at a time of the page's clock, and waits until all panels are drawn again.
 *
 * @param {import('playwright').Page} page made with a shifted clock
 * @returns `took` milliseconds, and the bytes of the `results`
 */
export async function refresh(page, { panels }, shift) {
  await page.evaluate((value) => (window.clockShift = value), shift);
  const received = count(page);
  const start = performance.now();
  await page.getByTestId('data-testid RefreshPicker run button').click();
  await received.queries(panels);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const took = performance.now() - start;
  return { took, results: (await received.end()).results };
}

/** Counts what a page receives from now on. */
function count(page) {
  const all = [];
  let queries = 0;
  let notify = () => {};
  const finished = (request) => {
    const isQuery = request.url().includes(QUERIES);
    all.push(request.sizes().then((sizes) => ({ isQuery, bytes: sizes.responseBodySize + sizes.responseHeadersSize })));
    queries += isQuery ? 1 : 0;
    notify();
  };
  page.on('requestfinished', finished);
  return {
    /** Resolves when so many queries have their results. */
    queries: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Only ${queries} of ${wanted} panels were refreshed.`)),
          PATIENCE
        );
        notify = () => {
          if (queries >= wanted) {
            clearTimeout(timer);
            resolve();
          }
        };
        notify();
      }),
    end: async () => {
      page.off('requestfinished', finished);
      const received = (await Promise.allSettled(all)).flatMap(({ value }) => value ?? []);
      const sum = (some) => some.reduce((bytes, one) => bytes + one.bytes, 0);
      return { bytes: sum(received), results: sum(received.filter(({ isQuery }) => isQuery)) };
    },
  };
}

/**
 * The page's memory after its garbage is collected: JavaScript's heap, and the arrays of numbers beside it.
 *
 * @returns bytes
 */
export async function heapOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  for (let n = 0; n < 3; n++) {
    await session.send('HeapProfiler.collectGarbage');
  }
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize + backingStorageSize;
}
