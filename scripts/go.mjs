// Runs Go with the flags of what ships, so that a build, lint and the tests share compiled packages: `node scripts/go.mjs test ./pkg/…`.
// `race` in front has the race detector, and without packages those with goroutines.
import { runOnTerminal } from './lib/command.mjs';
import { goEnv, notRaced, racePackages, raceEnv } from './lib/go.mjs';

const [command, ...rest] = process.argv.slice(2);
process.exitCode =
  command === 'race'
    ? await runOnTerminal(
        'go',
        [
          'test',
          '-vet=off',
          '-race',
          '-timeout',
          '30m',
          ...(rest.length > 0 ? rest : ['-short', '-skip', notRaced, ...racePackages]),
        ],
        raceEnv
      )
    : await runOnTerminal('go', [command, ...rest], goEnv);
