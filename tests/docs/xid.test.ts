import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { XID_CODES } from '../../dashboards/lib/xid.ts';

describe('The XID codes', () => {
  const codes = XID_CODES.map(({ code }) => code);

  it('are listed once each', () => {
    assert.deepEqual(codes, [...new Set(codes)]);
  });

  it('have the codes that training clusters see most', () => {
    const missing = [13, 31, 43, 45, 48, 63, 64, 74, 79, 94, 95, 119, 120].filter((code) => !codes.includes(code));
    assert.deepEqual(missing, []);
  });

  it('have a meaning that is part of a sentence, and an action that is one', () => {
    for (const { code, meaning, action } of XID_CODES) {
      assert.match(meaning, /^([a-z]|ECC).+[^.]$/, `XID ${code}`);
      assert.match(action, /^[A-Z].+\.$/, `XID ${code}`);
      // Both are written into templates of alert rules, between quotes of YAML and of Go.
      assert.doesNotMatch(meaning + action, /["'{}$\\]/, `XID ${code}`);
    }
  });
});
