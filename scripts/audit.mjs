// Asks the advisory services of npm and Go about what is in the package: `npm run audit`. Where a service can't be
// reached it says so and fails: not having asked is not the same as having found nothing.
import { bootstrap } from './lib/bootstrap.mjs';
import { run } from './lib/command.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';
import { goVerdict, npmVerdict } from './package/advisories.mjs';

async function audit() {
  await bootstrap();
  // Only what ends up in the browser: tools that run at build time are watched by Dependabot.
  const npm = npmVerdict(await run('npm', ['audit', '--omit', 'dev', '--json']));
  const go = goVerdict(await govulncheck());
  for (const { service, verdict, detail } of [npm, go]) {
    console.log(`${verdict === 'clean' ? '✔' : '✘'} ${service}: ${detail}`);
  }
  return [npm, go].every(({ verdict }) => verdict === 'clean') ? 0 : 1;
}

async function govulncheck() {
  try {
    return await run(await goTool('golang.org/x/vuln/cmd/govulncheck', 'v1.8.0'), ['./pkg/...']);
  } catch (error) {
    return { code: 127, output: error.message };
  }
}

await main(audit);
