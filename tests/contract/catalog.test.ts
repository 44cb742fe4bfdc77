// Every starter query of the catalog, through the route that panels use, against the simulated platform. A query
// without a result would be a poor start.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startStack } from '../../scripts/lib/stack.mjs';
import { METRIC_GROUPS } from '../../src/catalog/metrics/groups.ts';
import { findPrefix, seriesNames } from '../../src/catalog/metrics/naming.ts';

type Stack = Awaited<ReturnType<typeof startStack>>;

interface Frame {
  data: { values: [times: number[], values: number[]] | [] };
}

const HOUR_MS = 60 * 60 * 1000;

describe('the catalog of metrics', () => {
  let stack: Stack;
  let names: string[];

  before(async () => {
    stack = await startStack();
    const address = `${stack.previewUrl}/api/datasources/uid/gpucloud/resources/api/v1/label/__name__/values`;
    names = (await (await fetch(address)).json()).data;
  });

  after(() => stack.stop());

  it('knows the names of the simulated platform, and its prefix', () => {
    assert.equal(findPrefix(names, METRIC_GROUPS), 'vendor_');
    const families = METRIC_GROUPS.flatMap((group) => group.families);
    const missing = families
      .flatMap(({ name, type }) => seriesNames(name, type === 'histogram'))
      .filter((name) => !names.includes(name));
    assert.deepEqual(missing, []);
  });

  for (const { name: group, queries, interval } of METRIC_GROUPS) {
    for (const { name, expr } of queries) {
      it(`${group}, ${name}: has a result`, async () => {
        const frames = await run(stack, expr, interval);

        const values = frames.flatMap(({ data }) => data.values[1] ?? []);
        assert.ok(values.some(Number.isFinite), `no values in ${frames.length} frames`);
      });
    }
  }
});

async function run({ previewUrl }: Stack, expr: string, interval: string): Promise<Frame[]> {
  const now = Date.now();
  const query = {
    refId: 'A',
    datasource: { type: 'gpucloud-platform-datasource', uid: 'gpucloud' },
    expr,
    interval,
    range: true,
    intervalMs: 60_000,
    maxDataPoints: 500,
  };
  const response = await fetch(`${previewUrl}/api/ds/query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ from: String(now - 6 * HOUR_MS), to: String(now), queries: [query] }),
  });
  const { A: result } = (await response.json()).results;
  assert.equal(result.error, undefined);
  return result.frames ?? [];
}
