// Suites of Go code. Each takes patterns of packages.
import { run } from '../lib/command.mjs';
import { countGo, score } from '../lib/counts.mjs';
import { installEngines, testEngines } from '../lib/engines.mjs';
import { allPackages, goEnv, raceEnv } from '../lib/go.mjs';
import { golangciEnv, golangciLint } from '../lib/golangci.mjs';
import { check, verdict } from './checks.mjs';

export async function gofmt() {
  const { code, output } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.go']);
  const files = output.split('\n').filter(Boolean);
  if (code !== 0 || files.length === 0) {
    return verdict(false, output);
  }
  const unformatted = await run('gofmt', ['-l', ...files]);
  return verdict(unformatted.code === 0 && unformatted.output === '', `To be formatted:\n${unformatted.output}`);
}

/** Runs the analyzers of `go vet`, too: `go vet` itself would analyze all packages and what they import once more. */
export const lintGo = async (packages = allPackages) =>
  check(await golangciLint(), ['run', '--allow-parallel-runners', ...packages], { env: golangciEnv });

/** Tests of packages as they are compiled for what ships. */
export const goTests = (packages = allPackages) => goTest(packages, [], goEnv);

/** Tests of packages under the race detector. Short ones compare fewer random cases, which find no races: each is one goroutine's. */
export const raceTests = (packages, { isShort }) => goTest(packages, ['-race', `-short=${isShort}`], raceEnv);

export async function engines() {
  await installEngines();
  return testEngines();
}

async function goTest(packages, options, env) {
  // golangci-lint runs the analyzers of vet.
  const { code, stdout, output } = await run('go', ['test', '-vet=off', '-json', ...options, ...packages], { env });
  const count = countGo(stdout);
  return score(count, code, count.failed > 0 ? count.log : output);
}
