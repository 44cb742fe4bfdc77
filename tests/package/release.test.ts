import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { succeeded } from '../../scripts/lib/command.mjs';
import { root } from '../../scripts/lib/paths.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-release-'));
  after(() => rmSync(folder, { recursive: true }));
  const versions = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/versions.mjs', ...args], { cwd: root, encoding: 'utf8' });

  it('agrees everywhere in this repository, and has its part of the changelog', () => {
    const notes = join(folder, 'notes.md');
    const { status, stderr } = versions(`v${version}`, '--notes', notes);

    assert.equal(status, 0, stderr);
    assert.match(readFileSync(notes, 'utf8'), /^[^#].*\n[^]*^- /m);
  });

  for (const tag of ['v99.0.0', version]) {
    it(`is refused with the tag ${tag}`, () => assert.match(versions(tag).stderr, /is not v\d/));
  }
});

describe('a lookup of vulnerabilities', () => {
  const clean = 'found 0 vulnerabilities';
  const cases: Array<[name: string, code: number, output: string, wanted: boolean]> = [
    ['npm has no advisory', 0, clean, true],
    ['npm has an advisory', 1, '2 high severity vulnerabilities', false],
    ['npm refuses the request', 1, '405 Method Not Allowed', false],
    ['npm can not be reached and the command succeeds', 0, 'ENOTFOUND', false],
  ];
  for (const [name, code, output, wanted] of cases) {
    it(`is read if ${name}`, () => assert.equal(succeeded({ code, output }, clean), wanted));
  }
});
