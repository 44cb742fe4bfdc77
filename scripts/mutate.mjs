// Mutation testing of the backend: `npm run mutate`, or `npm run mutate -- pkg/jobs` for one package. Each mutant is
// a small change of the code; a mutant that no test of its package notices, nor for runs and placement a scene, has survived. It fails
// where too many have. The commit is tested, in a worktree of its own. Slow: each mutant compiles and runs these tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mustRun, run } from './lib/command.mjs';
import { BACKEND_TAGS, mutatedPackages } from './lib/go.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';

/**
 * The shares that are needed, in percent: of the covered mutants the killed ones, and of all mutants the covered ones. They are a
 * little less than was measured on 2026-11-25, in 25 minutes for each package: of placement 193 of 215 killed, 44 of 316 not covered;
 * of health 73 of 105 killed, 3 of 446 not covered. The other packages have no floor until they are measured.
 */
const FLOORS = { 'pkg/placement': [80, 80], 'pkg/runs/health': [60, 90] };

/** The folders whose tests judge the mutants of packages that have a part in them. Others are judged by their own tests only. */
const JUDGES = ['pkg/placement', 'pkg/runs', 'pkg/runs/health', 'tests/scenes'];

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
      const [killed, covered] = FLOORS[name] ?? [1, 1];
      // Compiling beside other work takes longer than the tests themselves, so a test run has time.
      // No --test-cpu: version 0.6.0 passes it as one argument, so every test run fails and each mutant counts as killed.
      const options = ['--workers', '2', '--timeout-coefficient', '20', '--tags', BACKEND_TAGS];
      const floors = ['--threshold-efficacy', String(killed), '--threshold-mcover', String(covered)];
      if (JUDGES.includes(name)) {
        await keepTests(cwd, JUDGES);
        // All tests that are left, for each mutant. A package without its subfolders.
        options.push('--integration', '--coverpkg', `./${name}`, '--exclude-files', '/');
      }
      const { code, output } = await run(gremlins, ['unleash', ...options, ...floors, `./${name}`], { cwd });
      const lines = output.split('\n').filter((line) => !/\b(KILLED|RUNNABLE)\b/.test(line));
      console.log([`${code === 0 ? '✔' : '✘'} ${name}`, ...lines.map((line) => line.trim())].join('\n  '));
      worst = Math.max(worst, code);
    }
    return worst;
  } finally {
    await mustRun('git', ['worktree', 'remove', '--force', cwd]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Deletes all tests of Go but those in some folders. */
async function keepTests(cwd, folders) {
  const { stdout } = await mustRun('git', ['ls-files', '*_test.go'], { cwd });
  for (const file of stdout.trim().split('\n')) {
    if (!folders.includes(dirname(file))) {
      rmSync(join(cwd, file), { force: true });
    }
  }
}

await main(mutate);
