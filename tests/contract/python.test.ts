// Python's client of Prometheus, prometheus-api-client, against the resources of the data source.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { run } from '../../scripts/lib/command.mjs';
import { pythonPackage } from '../../scripts/lib/pip.mjs';
import { startStack } from '../../scripts/lib/stack.mjs';

/** The newest release that the test was run with. */
const CLIENT = 'prometheus-api-client==0.7.2';

it('prometheus-api-client queries metrics through the data source', { timeout: 300_000 }, async () => {
  const PYTHONPATH = await pythonPackage(CLIENT);
  const stack = await startStack();
  try {
    const address = `${stack.previewUrl}/api/datasources/uid/gpucloud/resources`;
    const { code, stdout, output } = await run('python3', ['tests/contract/prometheus_client.py', address], {
      env: { PYTHONPATH },
    });

    assert.equal(code, 0, output);
    assert.deepEqual(JSON.parse(stdout), {
      metric: true,
      gpus: '64',
      series: 8,
      points: 61,
      current: 8,
      range: 8,
      label: true,
      values: ['0', '1', '2', '3', '4', '5', '6', '7'],
      parseError: true,
    });
  } finally {
    await stack.stop();
  }
});
