// Runs the plugin's backend against real query engines behind the simulator: `npm run test:engines`. It installs the engines where it
// can; where it can't they are skipped, which is said, and in CI a failure.
import { aptInstall } from './lib/apt.mjs';
import { findOnPath, runOnTerminal } from './lib/command.mjs';
import { BACKEND_TAGS, goEnv } from './lib/go.mjs';
import { main } from './lib/progress.mjs';
import { skip } from './lib/skip.mjs';

/** Commands that the tests start, by the Debian package that has them. */
const PACKAGES = {
  prometheus: ['prometheus', 'promtool'],
  'victoria-metrics': ['victoria-metrics'],
};

const missing = () => Object.keys(PACKAGES).filter((name) => !PACKAGES[name].every(findOnPath));

async function engines() {
  if (missing().length > 0) {
    await aptInstall(missing());
  }
  if (missing().length > 0) {
    const commands = missing().flatMap((name) => PACKAGES[name]);
    return skip(
      'engines',
      `Install the Debian packages ${missing().join(' and ')}, or put ${commands.join(', ')} on the PATH.`
    );
  }
  const args = ['test', '-tags', `${BACKEND_TAGS},engines`, '-vet=off', '-count', '1', '-timeout', '10m'];
  // The engines collect their garbage as seldom as the tests: an eighth of the processor time.
  return runOnTerminal('go', [...args, './tests/engines'], goEnv);
}

await main(engines);
