import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { goVerdict, npmVerdict, sdkVerdict } from '../../scripts/package/advisories.mjs';
import { changesOf, versionProblems } from '../../scripts/package/versions.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

describe('the version', () => {
  const changelog = '# Changelog\n\n## 1.2.0 - 2027-01-31\n\n- New.\n\n## 1.1.0 - 2026-12-01\n\n- Old.\n';
  const places = {
    version: '1.2.0',
    lock: { version: '1.2.0', packages: { '': { version: '1.2.0' } } },
    plugin: { info: { version: '%VERSION%' } },
    changelog,
  };

  it('agrees everywhere in this repository', () => {
    const problems = versionProblems({
      version: JSON.parse(read('package.json')).version,
      lock: JSON.parse(read('package-lock.json')),
      plugin: JSON.parse(read('src/plugin.json')),
      changelog: read('CHANGELOG.md'),
    });

    assert.deepEqual(problems, []);
  });

  it('has a dated part of the changelog in this repository', () => {
    const { version } = JSON.parse(read('package.json'));

    assert.match(changesOf(read('CHANGELOG.md'), version) ?? '', /^- /m);
  });

  it('may be released when the tag and the changelog agree with it', () => {
    assert.deepEqual(versionProblems({ ...places, tag: 'v1.2.0' }), []);
  });

  const problems: Array<[string, object, RegExp]> = [
    [
      'is another one in the lock file',
      { lock: { version: '1.1.0', packages: { '': {} } } },
      /package-lock\.json is of 1\.1\.0/,
    ],
    ['is written into plugin.json', { plugin: { info: { version: '1.2.0' } } }, /a version of its own/],
    ['is another one than the tag', { tag: 'v1.3.0' }, /tag v1\.3\.0 is not v1\.2\.0/],
    ['is tagged without its v', { tag: '1.2.0' }, /tag 1\.2\.0 is not/],
    ['is not what the changelog begins with', { tag: 'v1.2.0', changelog: '## 1.1.0 - 2026-12-01' }, /does not begin/],
    ['has no date in the changelog', { changelog: '## 1.2.0' }, /has no date/],
    ['is not a semantic version', { version: '1.2' }, /is no version of the form/],
  ];
  for (const [name, change, problem] of problems) {
    it(`is refused if it ${name}`, () => {
      assert.match(versionProblems({ ...places, ...change }).join('\n'), problem);
    });
  }

  it('has its part of the changelog', () => {
    assert.equal(changesOf(changelog, '1.2.0'), '- New.');
    assert.equal(changesOf(changelog, '1.1.0'), '- Old.');
  });
});

describe('a lookup of vulnerabilities', () => {
  const result = (code: number, stdout: string) => ({ code, stdout, output: stdout });
  const counts = (total: number) => ({
    metadata: { vulnerabilities: { total } },
    vulnerabilities: { 'bad-package': {} },
  });

  const sdk = result(0, '{"Version": "v0.298.0", "Time": "2026-10-26T07:52:55Z"}');

  const cases: Array<[name: string, { verdict: string }, wanted: string]> = [
    ['npm has no advisory', npmVerdict(result(0, JSON.stringify(counts(0)))), 'clean'],
    ['npm has an advisory', npmVerdict(result(1, JSON.stringify(counts(2)))), 'vulnerable'],
    ['npm refuses the request', npmVerdict(result(1, '{"message":"405 Method Not Allowed"}')), 'unavailable'],
    ['npm can not be reached and the command succeeds', npmVerdict(result(0, 'ENOTFOUND')), 'unavailable'],
    ['Go has no advisory', goVerdict(result(0, 'No vulnerabilities found.')), 'clean'],
    ['Go has an advisory', goVerdict(result(3, 'Vulnerability #1')), 'vulnerable'],
    ['Go can not be reached', goVerdict(result(1, 'dial tcp: no such host')), 'unavailable'],
    ['the SDK is 60 days old', sdkVerdict(sdk, new Date('2026-12-25T07:00:00Z')), 'clean'],
    ['the SDK is older', sdkVerdict(sdk, new Date('2026-12-26T08:00:00Z')), 'outdated'],
    ['the age of the SDK is not known', sdkVerdict(result(1, 'go: no such module'), new Date(0)), 'unavailable'],
  ];
  for (const [name, { verdict }, wanted] of cases) {
    it(`is read if ${name}`, () => assert.equal(verdict, wanted));
  }
});
