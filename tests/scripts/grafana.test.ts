import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findGrafana, grafanaOption } from '../../scripts/lib/grafana.mjs';

/** Where each test puts the home folder of a Grafana. */
let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpucloud-home-'));
});
after(() => rmSync(folder, { recursive: true }));

function touch(...path: string[]): string {
  const file = join(folder, ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  return file;
}

describe('a Grafana', () => {
  it('of an archive or a package is found by its home folder', () => {
    touch('archive', 'conf', 'defaults.ini');
    const program = touch('archive', 'bin', 'grafana');
    const home = join(folder, 'archive');

    assert.deepEqual(findGrafana(home), { home, program });
  });

  it('of Homebrew is found by its home folder', () => {
    touch('brew', 'share', 'grafana', 'conf', 'defaults.ini');
    const program = touch('brew', 'bin', 'grafana');
    const home = join(folder, 'brew', 'share', 'grafana');

    assert.deepEqual(findGrafana(home), { home, program });
  });

  it('is found by GRAFANA_HOME where no path is given', () => {
    touch('named', 'conf', 'defaults.ini');
    const program = touch('named', 'bin', 'grafana');
    const home = join(folder, 'named');
    process.env.GRAFANA_HOME = home;
    try {
      assert.deepEqual(grafanaOption(['--grafana']).grafana, { home, program });
    } finally {
      delete process.env.GRAFANA_HOME;
    }
  });

  it('that is missing is an error that names what was expected', () => {
    assert.throws(() => findGrafana(join(folder, 'nowhere')), /No Grafana at .*nowhere: expected its home folder/);
  });
});

describe('the option --grafana', () => {
  before(() => {
    touch('here', 'conf', 'defaults.ini');
    touch('here', 'bin', 'grafana');
  });
  const cases = [
    { name: 'takes the path after it', args: (path: string) => ['--grafana', path, '-g', 'x'] },
    { name: 'takes the path within it', args: (path: string) => [`--grafana=${path}`, '-g', 'x'] },
    { name: 'is found behind others', args: (path: string) => ['-g', 'x', '--grafana', path] },
  ];
  for (const { name, args } of cases) {
    it(name, () => {
      const home = join(folder, 'here');
      const found = grafanaOption(args(home));

      assert.equal(found.grafana?.home, home);
      assert.deepEqual(found.rest, ['-g', 'x']);
    });
  }

  it('names no Grafana if it is missing', () => {
    assert.deepEqual(grafanaOption(['-g', 'x']), { grafana: undefined, rest: ['-g', 'x'] });
  });
});
