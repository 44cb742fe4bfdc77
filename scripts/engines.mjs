// Runs the plugin's backend against real query engines behind the simulator: `npm run test:engines`. It installs the engines where it
// can; where it can't they are skipped, which is said, and in CI a failure.
import { runOnTerminal } from './lib/command.mjs';
import { installEngines } from './lib/engines.mjs';
import { BACKEND_TAGS, goEnv } from './lib/go.mjs';
import { main } from './lib/progress.mjs';
import { skip } from './lib/skip.mjs';

async function engines() {
  const missing = await installEngines();
  if (missing) {
    return skip('engines', missing);
  }
  const args = ['test', '-tags', `${BACKEND_TAGS},engines`, '-vet=off', '-count', '1', '-timeout', '10m'];
  return runOnTerminal('go', [...args, './tests/engines'], goEnv);
}

await main(engines);
