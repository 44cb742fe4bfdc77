import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { touchedBy } from '../../scripts/lib/changes.mjs';

describe('what npm run check runs', () => {
  const hasGo = (folder: string) => ['pkg/promclient', 'pkg/promclient/promjson', 'simulator'].includes(folder);
  const touched = (...files: string[]) => touchedBy(files, hasGo);

  it('has the package of a Go file, and of its test data', () => {
    const { goPackages } = touched(
      'pkg/promclient/client.go',
      'pkg/promclient/client_test.go',
      'pkg/promclient/promjson/testdata/fuzz/FuzzDecode/0',
      'simulator/README.md',
      'docs/develop/faults.md'
    );

    assert.deepEqual(goPackages, ['./pkg/promclient', './pkg/promclient/promjson', './simulator']);
  });

  it('has the folders of front-end files, types and lint', () => {
    const { jestFolders, scripts, hasTypes, goPackages } = touched('src/query/editor.tsx', 'src/query/editor.test.tsx');

    assert.deepEqual(jestFolders, ['src/query']);
    assert.deepEqual(scripts, ['src/query/editor.tsx', 'src/query/editor.test.tsx']);
    assert.equal(hasTypes, true);
    assert.deepEqual(goPackages, []);
  });

  it('has the tests of documents and scripts where these changed', () => {
    assert.deepEqual(touched('README.md').nodeTests, ['docs']);
    assert.deepEqual(touched('scripts/test.mjs', 'docs/img/a.png').nodeTests, ['scripts', 'docs']);
    assert.deepEqual(touched('src/module.ts').nodeTests, []);
  });

  it('has the generated files where their sources or they themselves changed', () => {
    assert.equal(touched('dashboards/overview.ts').hasGenerated, true);
    assert.equal(touched('src/dashboards/gpu-overview.json').hasGenerated, true);
    assert.equal(touched('src/module.ts').hasGenerated, false);
  });
});
