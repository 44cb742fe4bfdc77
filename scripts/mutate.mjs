// Mutation testing of the backend: `npm run mutate`, or `npm run mutate -- pkg/jobs` for one package. Each mutant is
// a small change of the code; a mutant that no test of its package notices, nor for runs and placement a scene, has survived. It fails
// where too many have. The commit is tested, in a worktree of its own. Slow: each mutant compiles and runs these tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun, run } from './lib/command.mjs';
import { BACKEND_TAGS, mutatedPackages } from './lib/go.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';

/**
 * By package the shares that are needed, in percent: of the covered mutants the killed ones, and of all mutants the covered ones, which
 * conditions of a `switch` are not for the coverage of Go. `by` are the folders whose tests judge it: those of `pkg/plugin` are left out,
 * because they are many and each mutant compiles them. The shares are less than what was measured on 2026-11-26
 * (docs/develop/tested.md). The other packages are judged by their own tests, and have no floor until they are measured.
 */
const FLOORS = {
  'pkg/placement': { killed: 90, covered: 78, by: ['pkg/placement', 'tests/scenes'] },
  'pkg/runs': { killed: 90, covered: 80, by: ['pkg/runs', 'tests/golden', 'tests/scenes'] },
  'pkg/runs/health': { killed: 90, covered: 90, by: ['pkg/runs', 'pkg/runs/health', 'tests/scenes'] },
};

/** Tests that judge no mutant: two that take most of the time, and what needs generated dashboards and rules. */
const SKIPPED = 'CorrelatedNoise|OtherRuns|TestScenes_Complete|TestScenes/.*/.*/eval_(panel|rule|record|variable)';

async function mutate() {
  const chosen = process.argv.slice(2);
  const gremlins = await goTool('github.com/go-gremlins/gremlins/cmd/gremlins', 'v0.6.0');
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-mutate-'));
  const cwd = join(folder, 'copy');
  let worst = 0;
  try {
    // gremlins copies the folder of the module for each worker, so it gets one without node_modules.
    await mustRun('git', ['worktree', 'add', '--detach', cwd, 'HEAD']);
    for (const name of chosen.length > 0 ? chosen : mutatedPackages) {
      const { killed, covered, by } = FLOORS[name] ?? { killed: 1, covered: 1 };
      // Compiling beside other work takes longer than the tests themselves, so a test run has time.
      // No --test-cpu: version 0.6.0 passes it as one argument, so every test run fails and each mutant counts as killed.
      const options = ['--workers', '2', '--timeout-coefficient', by ? '5' : '20', '--tags', BACKEND_TAGS];
      const floors = ['--threshold-efficacy', String(killed), '--threshold-mcover', String(covered)];
      // gremlins downloads all modules first, in a workspace also those that no package needs, which a registry may lack.
      const env = { GOWORK: 'off' };
      await mustRun('git', ['reset', '--quiet', '--hard'], { cwd });
      if (by) {
        const left = by.map((folder) => `:(exclude,glob)${folder}/*_test.go`);
        await mustRun('git', ['rm', '--quiet', '--', '*_test.go', ...left], { cwd });
        // All tests that are left, and the package without its subfolders.
        options.push('--integration', '--coverpkg', `./${name}`, '--exclude-files', '/');
        env.GOFLAGS = `-vet=off -failfast -skip=${SKIPPED}`;
      }
      const { code, output } = await run(gremlins, ['unleash', ...options, ...floors, `./${name}`], { cwd, env });
      const lines = output.split('\n').filter((line) => !/\b(KILLED|RUNNABLE)\b/.test(line));
      // Where no mutant was tested, because all took too long, the share is not a number, and gremlins succeeds.
      const isMeasured = /Test efficacy: \d/.test(output);
      console.log(
        [`${code === 0 && isMeasured ? '✔' : '✘'} ${name}`, ...lines.map((line) => line.trim())].join('\n  ')
      );
      worst = Math.max(worst, isMeasured ? code : 1);
    }
    return worst;
  } finally {
    await mustRun('git', ['worktree', 'remove', '--force', cwd]);
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(mutate);
