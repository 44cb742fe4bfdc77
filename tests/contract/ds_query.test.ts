// The Python of docs/routes.md that sends a saved query to Grafana's /api/ds/query.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { run } from '../../scripts/lib/command.mjs';
import { startStack } from '../../scripts/lib/stack.mjs';

it('the query from Python in docs/routes.md prints runs with GPU-hours', { timeout: 300_000 }, async () => {
  const [, code = ''] = /```python\n(import json.*?)```/s.exec(readFileSync('docs/routes.md', 'utf8')) ?? [];
  const stack = await startStack();
  try {
    const here = code.replace('https://<grafana>', stack.previewUrl);
    const env = { GRAFANA_SERVICE_ACCOUNT_TOKEN: 'any' };
    const { code: status, stdout, output } = await run('python3', ['-c', here], { env });

    assert.equal(status, 0, output);
    const lines = stdout.trim().split('\n');
    assert.ok(lines.length > 3, stdout);
    assert.ok(
      lines.some((line) => /^\S+ \d+(\.\d+)? /.test(line)),
      stdout
    );
  } finally {
    await stack.stop();
  }
});
