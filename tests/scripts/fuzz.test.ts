import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fuzzTests, inputsOf } from '../../scripts/lib/fuzzTests.mjs';

const files = {
  'pkg/codec/decode_test.go': 'func FuzzDecode(f *testing.F) {}\nfunc TestDecode(t *testing.T) {}\n',
  'pkg/codec/encode_test.go': 'func FuzzEncode(f *testing.F) {}\n',
  'pkg/codec/decode.go': 'func FuzzNothing(f *testing.F) {}\n',
  'simulator/clock/clock_test.go': 'func FuzzParse(f *testing.F) {}\nfunc FuzzHelper(s string) {}\n',
};

describe('the fuzz tests that npm run fuzz runs', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpucloud-fuzz-'));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are those of all packages of both modules', () => {
    assert.deepEqual(fuzzTests([], folder), [
      { name: 'FuzzDecode', pkg: './pkg/codec' },
      { name: 'FuzzEncode', pkg: './pkg/codec' },
      { name: 'FuzzParse', pkg: './simulator/clock' },
    ]);
  });

  it('are chosen by parts of names and packages', () => {
    const names = (...words: string[]) => fuzzTests(words, folder).map(({ name }) => name);

    assert.deepEqual(names('Decode', 'clock'), ['FuzzDecode', 'FuzzParse']);
    assert.deepEqual(names('nothing'), []);
  });

  it('are found in this repository', () => assert.ok(fuzzTests([]).length > 10));
});

describe('the inputs of a fuzz test', () => {
  it('are those of the last line of progress', () => {
    const output = [
      'fuzz: elapsed: 0s, gathering baseline coverage: 0/12 completed',
      'fuzz: elapsed: 3s, execs: 1520 (506/sec), new interesting: 2 (total: 14)',
      'fuzz: elapsed: 5s, execs: 3021 (750/sec), new interesting: 3 (total: 15)',
    ].join('\n');

    assert.equal(inputsOf(output), 3021);
  });

  it('are none if the search did not start', () => assert.equal(inputsOf('no test files'), 0));
});
