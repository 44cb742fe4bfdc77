import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { licenseDocument, problemsOf } from '../../scripts/package/licenses.mjs';
import { packageUrl } from '../../scripts/package/sbom.mjs';

type Ecosystem = 'npm' | 'golang';
const component = (ecosystem: Ecosystem, declared?: string, licenseFiles = ['LICENSE']) => ({
  ecosystem,
  name: 'example',
  version: '1.0.0',
  declared,
  licenseFiles,
  noticeFiles: [],
});

describe('the license of a component', () => {
  const cases: Array<[name: string, Parameters<typeof problemsOf>[0], found: string[], problem?: RegExp]> = [
    ['may be MIT', component('npm', 'MIT'), ['MIT']],
    ['may be one of several, of which one is compatible', component('npm', '(MIT OR GPL-2.0-only)'), ['MIT']],
    ['may be several that are all compatible', component('golang'), ['Apache-2.0', 'BSD-3-Clause']],
    ['must be declared in an npm package', component('npm'), ['MIT'], /declares a license that is not known/],
    ['must be declared as SPDX writes it', component('npm', 'SEE LICENSE IN x'), ['MIT'], /not known/],
    ['must not be declared incompatible', component('npm', 'GPL-2.0-only'), ['GPL-2.0'], /"GPL-2.0-only"/],
    ['must not be another one than is declared', component('npm', 'MIT'), ['SSPL-1.0'], /is under SSPL-1\.0/],
    ['must not be partly incompatible', component('golang'), ['MIT', 'GPL-2.0'], /is under GPL-2\.0/],
    ['must be recognized', component('golang'), [], /was not recognized/],
    ['must come with it', component('golang', undefined, []), [], /has no license file/],
  ];
  for (const [name, subject, found, problem] of cases) {
    it(name, () => {
      const problems = problemsOf(subject, new Map([['LICENSE', found]]));
      if (problem) {
        assert.match(problems.join('\n'), problem);
      } else {
        assert.deepEqual(problems, []);
      }
    });
  }
});

describe('the documents of the package', () => {
  const licensed = (name: string, text: string) => ({
    ...component('npm', 'MIT'),
    name,
    license: 'MIT',
    texts: [text],
    notices: [],
  });

  it('has each text once, with the names of all that it is for', () => {
    const document = licenseDocument([licensed('one', 'the same text'), licensed('two', 'the same text')]);

    assert.equal(document.split('the same text').length - 1, 1);
    assert.match(document, /one 1\.0\.0\ntwo 1\.0\.0\n-+\n\nthe same text/);
  });

  // cspell:ignore Bincompatible flatbuffers
  it('has package URLs that can be looked up', () => {
    assert.equal(
      packageUrl({ ...component('npm'), name: '@grafana/prometheus', version: '13.2.1' }),
      'pkg:npm/%40grafana/prometheus@13.2.1'
    );
    assert.equal(
      packageUrl({ ...component('golang'), name: 'github.com/google/flatbuffers', version: 'v25.12.19+incompatible' }),
      'pkg:golang/github.com/google/flatbuffers@v25.12.19%2Bincompatible'
    );
  });
});
