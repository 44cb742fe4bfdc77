import { XID_CODES } from './xid';

describe('The XID codes', () => {
  test('are listed once each, in ascending order', () => {
    const codes = XID_CODES.map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort((a, b) => a - b));
  });

  test('have the codes that training clusters see most', () => {
    expect(XID_CODES.map(({ code }) => code)).toEqual(
      expect.arrayContaining([13, 31, 43, 45, 48, 63, 64, 74, 79, 94, 95, 119, 120])
    );
  });

  test.each(XID_CODES)('$code: the meaning is part of a sentence, the action a sentence', ({ meaning, action }) => {
    expect(meaning).toMatch(/^([a-z]|ECC).+[^.]$/);
    expect(action).toMatch(/^[A-Z].+\.$/);
    // Both are written into templates of alert rules, between quotes of YAML and of Go.
    expect(meaning + action).not.toMatch(/["'{}$\\]/);
  });
});
