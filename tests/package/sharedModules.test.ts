import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { buildFrontEnd } from '../../scripts/lib/builds.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { missingExports, sharedImports } from '../../scripts/lib/sharedExports.mjs';

/** The oldest packages that npm installs, and the newest where `npm run test:react19` has installed them. */
const SETS = { 'Grafana 13.1': root, 'Grafana 13.2': join(root, 'preview', 'react19') };

describe('what the built front end uses of the modules that Grafana shares', () => {
  before(buildFrontEnd, { timeout: 300_000 });

  it('is known by name, that of bundled libraries, too', () => {
    const { '@grafana/ui': names } = sharedImports();

    assert.ok(Array.isArray(names) && names.includes('floatingUtils'), '@grafana/prometheus imports it');
  });

  for (const [version, folder] of Object.entries(SETS)) {
    const skip = existsSync(join(folder, 'node_modules')) ? false : 'npm run test:react19 installs it';
    it(`is exported in ${version}`, { skip }, async () => {
      assert.deepEqual(await missingExports(sharedImports(), folder), []);
    });
  }

  it('is missed where it is not exported', async () => {
    assert.deepEqual(await missingExports({ '@grafana/ui': ['Button', 'NoSuchThing'] }, root), [
      'NoSuchThing of @grafana/ui',
    ]);
  });
});
