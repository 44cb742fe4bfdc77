// Looks up known vulnerabilities of what is in the package, at npm and in Go's database, and the age of Grafana's SDK:
// `npm run audit`. It fails if there is one, if the SDK is too old for the catalog, and if a service can't be reached.
import { run } from './lib/command.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';
import { goVerdict, npmVerdict, sdkVerdict } from './package/advisories.mjs';

const SDK = 'github.com/grafana/grafana-plugin-sdk-go';

async function audit() {
  // Without the tools of the build, which Dependabot watches.
  const npm = npmVerdict(await run('npm', ['audit', '--omit', 'dev', '--json']));
  const go = goVerdict(await govulncheck());
  const sdk = sdkVerdict(await run('go', ['list', '-m', '-json', SDK]), new Date());
  for (const { service, verdict, detail } of [npm, go, sdk]) {
    console.log(`${verdict === 'clean' ? '✔' : '✘'} ${service}: ${detail}`);
  }
  return [npm, go, sdk].every(({ verdict }) => verdict === 'clean') ? 0 : 1;
}

async function govulncheck() {
  try {
    return await run(await goTool('golang.org/x/vuln/cmd/govulncheck', 'v1.8.0'), ['./pkg/...']);
  } catch (error) {
    return { code: 127, output: error.message };
  }
}

await main(audit);
