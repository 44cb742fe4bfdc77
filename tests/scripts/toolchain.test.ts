import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The rest of a line of a file after a word, such as the version after `go`. */
function after(word: string, file: string): string | undefined {
  return new RegExp(`^${word} (\\S+)$`, 'm').exec(read(file))?.[1];
}

describe('the release of Go', () => {
  const files = ['go.mod', 'go.work', 'simulator/go.mod', 'bench/decoders/go.mod'];
  const toolchain = after('toolchain', 'go.mod');

  it('is pinned', () => assert.match(toolchain ?? '', /^go\d+\.\d+\.\d+$/));

  it('is the same in all modules and in the workspace', () => {
    assert.deepEqual(
      files.map((file) => after('toolchain', file)),
      files.map(() => toolchain)
    );
  });

  it('is required in the same version by both modules and by the workspace', () => {
    assert.equal(new Set(files.map((file) => after('go', file))).size, 1);
  });

  it('is that of the image that the simulator is built in', () => {
    assert.equal(`go${/^FROM golang:([\d.]+)-/m.exec(read('simulator/Dockerfile'))?.[1]}`, toolchain);
  });

  it('is what workflows set up', () => {
    const steps = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((file) =>
      [...read(file).matchAll(/uses: actions\/setup-go@.*\n\s+with:\n((?: {10}.*\n)+)/g)].map(([, options]) => options)
    );

    assert.ok(steps.length > 0);
    assert.deepEqual(
      steps.filter((options) => !options.includes('go-version-file: go.mod\n') || /^\s*go-version:/m.test(options)),
      []
    );
  });
});
