// Runs the plugin's backend against real query engines behind the simulator: `npm run test:engines`. It installs the engines where it
// can; where it can't they are skipped, which is said, and in CI a failure.
import { aptInstall } from './lib/apt.mjs';
import { findOnPath, runOnTerminal } from './lib/command.mjs';
import { BACKEND_TAGS, goEnv } from './lib/go.mjs';
import { main } from './lib/progress.mjs';
import { skip } from './lib/skip.mjs';

/** Debian packages, each with the command of its name, which the tests start. */
const missing = () => ['prometheus', 'victoria-metrics'].filter((name) => !findOnPath(name));

async function engines() {
  if (missing().length > 0) {
    await aptInstall(missing());
  }
  if (missing().length > 0) {
    return skip(
      'engines',
      `Install the Debian packages ${missing().join(' and ')}, or put these commands on the PATH.`
    );
  }
  const args = ['test', '-tags', `${BACKEND_TAGS},engines`, '-vet=off', '-count', '1', '-timeout', '10m'];
  // The engines collect their garbage as seldom as the tests: an eighth of the processor time.
  return runOnTerminal('go', [...args, './tests/engines'], goEnv);
}

await main(engines);
