import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { step } from '../../scripts/lib/progress.mjs';

describe('a step', () => {
  it('says how far it is while it is under way, and what it was at the end', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const printed: string[] = [];
    mock.method(console, 'log', (text: string) => printed.push(text));
    const write = mock.method(process.stdout, 'write', (text: string) => printed.push(text) > 0);
    let finish = () => {};
    const done = step('Backend built', (tell: (howFar: string) => void) => {
      tell('12 of 30 packages');
      return new Promise<void>((resolve) => (finish = resolve));
    });
    mock.timers.tick(15_000);
    finish();
    await done;
    mock.timers.tick(15_000);
    write.mock.restore();
    mock.restoreAll();
    mock.timers.reset();

    assert.match(printed[0], /^… Backend built +\d+\.\d s, 12 of 30 packages$/);
    assert.match(printed[1], /^✔ Backend built +\d+\.\d s\n$/);
    assert.equal(printed.length, 2, 'nothing is printed once no step is under way');
  });
});
