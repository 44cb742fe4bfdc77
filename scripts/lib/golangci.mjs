import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './command.mjs';
import { cache, executable } from './paths.mjs';

const VERSION = 'v2.15.0';

/** Path of the pinned golangci-lint, which is compiled on first use. */
export async function golangciLint() {
  const dir = join(cache, `golangci-lint-${VERSION}`);
  const path = executable(join(dir, 'golangci-lint'));
  if (!existsSync(path)) {
    console.log(`  Installing golangci-lint ${VERSION} for the first time; this takes a minute or two.`);
    await mustRun('go', ['install', `github.com/golangci/golangci-lint/v2/cmd/golangci-lint@${VERSION}`], {
      env: { GOBIN: dir, GOFLAGS: '', GOWORK: 'off' },
    });
  }
  return path;
}
