// Runs Go with the flags of what ships, so that a build, lint and the tests share compiled packages: `node scripts/go.mjs test ./pkg/…`.
// `race` in front has the race detector, and without packages those with goroutines.
import { runOnTerminal } from './lib/command.mjs';
import { goEnv, notRaced, racePackages, raceEnv } from './lib/go.mjs';

const [command, ...rest] = process.argv.slice(2);
/** Go's own limit, 10 minutes for a package, is too short for a busy machine. Without symbols, programs are linked in less time. */
const flags = ['-timeout', '30m', '-ldflags=-s'];
const raced = rest.length > 0 ? rest : ['-skip', notRaced, ...racePackages()];
const runs = {
  race: [['test', '-vet=off', '-race', ...flags, ...raced], raceEnv],
  test: [['test', ...flags, ...rest], goEnv],
};
const [args, env] = runs[command] ?? [[command, ...rest], goEnv];
process.exitCode = await runOnTerminal('go', args, env);
