// Mutation testing of the backend: `npm run mutate`, or `npm run mutate -- pkg/tuning` for one package. Each mutant is
// a small change of the code; one that no test of its package notices has survived. What is committed is tested, in a
// copy. Slow: each mutant compiles and runs its package's tests.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { mustRun } from './lib/command.mjs';
import { BACKEND_TAGS, mutatedPackages } from './lib/go.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';

async function mutate() {
  await bootstrap();
  const chosen = process.argv.slice(2);
  const gremlins = await goTool('github.com/go-gremlins/gremlins/cmd/gremlins', 'v0.6.0');
  const folder = mkdtempSync(join(tmpdir(), 'gpucloud-mutate-'));
  const copy = join(folder, 'copy');
  try {
    // The tester copies the module's whole folder for itself, node_modules too, so it gets one without.
    await mustRun('git', ['worktree', 'add', '--detach', copy, 'HEAD']);
    const rows = [];
    for (const name of chosen.length > 0 ? chosen : mutatedPackages) {
      rows.push(await mutatePackage(gremlins, copy, name, join(folder, 'report.json')));
    }
    console.log(['', '| package | mutants | killed | survived | not covered | killed of those covered |'].join('\n'));
    console.log(['| --- | --- | --- | --- | --- | --- |', ...rows].join('\n'));
    return 0;
  } finally {
    await mustRun('git', ['worktree', 'remove', '--force', copy]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function mutatePackage(gremlins, cwd, name, report) {
  // Compiling beside other work takes longer than the tests themselves, so a test run has time.
  // No --test-cpu: version 0.6.0 passes it as one argument, which ends every test run, and calls each mutant killed.
  const options = ['--workers', '2', '--timeout-coefficient', '20', '--tags', BACKEND_TAGS];
  const { output } = await mustRun(gremlins, ['unleash', ...options, '--output', report, `./${name}`], { cwd });
  const survivors = output.split('\n').filter((line) => /\b(LIVED|NOT COVERED)\b/.test(line));
  console.log([name, ...survivors.map((line) => line.trim())].join('\n  '));
  const found = JSON.parse(readFileSync(report, 'utf8'));
  const cells = [
    name,
    found.mutants_total,
    found.mutants_killed,
    found.mutants_lived,
    found.mutants_not_covered,
    `${found.test_efficacy.toFixed(1)} %`,
  ];
  return `| ${cells.join(' | ')} |`;
}

await main(mutate);
