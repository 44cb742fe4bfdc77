import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { installEngines } from '../../scripts/lib/engines.mjs';

describe('query engines that are missing', () => {
  const { PATH } = process.env;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpucloud-engines-'));
    process.env.PATH = folder;
    symlinkSync('/usr/bin/env', join(folder, 'env'));
  });
  afterEach(() => {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  });

  const command = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  /** Puts what it is asked to install into the folder. */
  const aptGet = `[ "$1" = install ] && for name in prometheus promtool victoria-metrics; do : > "\${0%/*}/$name"; done`;

  it('are installed by an ordinary user with sudo', async () => {
    command('apt-get', `[ "$AS_ROOT" = yes ] || exit 100\n${aptGet}`);
    command('sudo', '[ "$1" = -n ] && shift && export AS_ROOT=yes && exec "$@"');

    assert.equal(await installEngines({ uid: 1000 }), undefined);
  });

  it('are named where apt fails, as without a network', async () => {
    command('apt-get', 'exit 100');

    assert.match(
      (await installEngines({ uid: 0 })) ?? '',
      /^Install the Debian packages prometheus and victoria-metrics/
    );
  });

  it('are named where there is no apt', async () => {
    assert.match((await installEngines({ uid: 1000 })) ?? '', /prometheus, promtool, victoria-metrics on the PATH/);
  });
});
