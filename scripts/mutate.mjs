// Mutation testing of the backend: `npm run mutate`, or `npm run mutate -- pkg/jobs` for one package. Each mutant is
// a small change of the code; a mutant that no test of its package notices has survived. It fails where too many have. The
// commit is tested, in a worktree of its own. Slow: each mutant compiles and runs the tests of its package.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './lib/command.mjs';
import { BACKEND_TAGS, mutatedPackages } from './lib/go.mjs';
import { goTool } from './lib/goTool.mjs';
import { table, tooFewKilled } from './lib/mutants.mjs';
import { main } from './lib/progress.mjs';

async function mutate() {
  const chosen = process.argv.slice(2);
  const gremlins = await goTool('github.com/go-gremlins/gremlins/cmd/gremlins', 'v0.6.0');
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-mutate-'));
  const copy = join(folder, 'copy');
  try {
    // gremlins copies the folder of the module for each worker, so it gets one without node_modules.
    await mustRun('git', ['worktree', 'add', '--detach', copy, 'HEAD']);
    const reports = [];
    for (const name of chosen.length > 0 ? chosen : mutatedPackages) {
      reports.push(await mutatePackage(gremlins, copy, name, join(folder, 'report.json')));
    }
    console.log(`\n${table(reports)}`);
    const failures = tooFewKilled(reports);
    console.log(failures.map((failure) => `\n✘ ${failure}`).join(''));
    return failures.length > 0 ? 1 : 0;
  } finally {
    await mustRun('git', ['worktree', 'remove', '--force', copy]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function mutatePackage(gremlins, cwd, name, report) {
  // Compiling beside other work takes longer than the tests themselves, so a test run has time.
  // No --test-cpu: version 0.6.0 passes it as one argument, so every test run fails and each mutant counts as killed.
  const options = ['--workers', '2', '--timeout-coefficient', '20', '--tags', BACKEND_TAGS];
  const { output } = await mustRun(gremlins, ['unleash', ...options, '--output', report, `./${name}`], { cwd });
  const survivors = output.split('\n').filter((line) => /\b(LIVED|NOT COVERED)\b/.test(line));
  console.log([name, ...survivors.map((line) => line.trim())].join('\n  '));
  return { name, ...JSON.parse(readFileSync(report, 'utf8')) };
}

await main(mutate);
