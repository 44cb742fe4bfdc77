import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { changedFiles, touchedBy } from '../../scripts/lib/changes.mjs';
import { suitesOf } from '../../scripts/suites/changed.mjs';

// In a hook, these name the project's own repository, which the tests must not change.
for (const name of Object.keys(process.env).filter((variable) => variable.startsWith('GIT_'))) {
  delete process.env[name];
}

describe('what has changed', () => {
  let folder: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpucloud-changes-'));
    git('init', '-q', '-b', 'main');
    for (const file of ['same.go', 'edited.go', 'deleted.go', 'renamed.go']) {
      writeFileSync(join(folder, file), `package ${file}`);
    }
    git('add', '.');
    git('commit', '-qm', 'main');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is edited, new, deleted and renamed files, committed or not', async () => {
    writeFileSync(join(folder, 'edited.go'), 'package other');
    renameSync(join(folder, 'renamed.go'), join(folder, 'name.go'));
    git('checkout', '-qb', 'branch');
    git('add', '.');
    git('commit', '-qm', 'branch');
    rmSync(join(folder, 'deleted.go'));
    writeFileSync(join(folder, 'new.go'), 'package new');
    symlinkSync('same.go', join(folder, 'link.go'));

    assert.deepEqual(await changedFiles(folder), ['deleted.go', 'edited.go', 'name.go', 'new.go', 'renamed.go']);
  });

  it('is checked for format and lint only where it exists', () => {
    const names = suitesOf(['src/config/deleted.tsx', 'pkg/transport/deleted.go']).map(({ name }) => name);

    assert.deepEqual(names, [
      'Types (tsc)',
      'Generated files',
      'Tests of scripts (node)',
      'Tests of docs (node)',
      'Front-end tests (jest)',
      'Go formatting (gofmt)',
      'Go tests (go test)',
      'Go lint (golangci-lint)',
    ]);
  });
});

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

  it('are no Go packages of the workspace where they are of a module outside it', () => {
    assert.deepEqual(touchedBy(['bench/promlib/main.go'], () => true).goPackages, []);
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
    assert.deepEqual(touched('simulator/main.go').nodeTests, ['docs']);
    assert.deepEqual(touched('src/module.ts').nodeTests, []);
  });

  it('has the generated files where their sources or they themselves changed', () => {
    for (const file of [
      'dashboards/overview.ts',
      'src/dashboards/gpu-overview.json',
      'src/catalog/xid.ts',
      'src/types.ts',
      'src/platform/query.ts',
      'src/config/MetricsSettings.tsx',
      'pkg/promclient/client.go',
      'provisioning/datasources/gpucloud.yaml',
      'scripts/reference/columns.mjs',
      'scripts/reference.mjs',
      'docs/reference/queries.md',
    ]) {
      assert.equal(touched(file).hasGenerated, true, file);
    }
    assert.equal(touched('simulator/main.go', 'docs/cache.md').hasGenerated, false);
  });
});
