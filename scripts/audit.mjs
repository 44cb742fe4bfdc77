// Looks up known vulnerabilities of what is in the package, at npm and in Go's database, and the age of Grafana's SDK:
// `npm run audit`. It fails if there is one, if the SDK is too old for the catalog, and if a service can't be reached: only what a
// service says when it has found nothing passes.
import { run, succeeded } from './lib/command.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';

const SDK = 'github.com/grafana/grafana-plugin-sdk-go';

/** The age from which on Grafana's validator warns, in days. */
const SDK_DAYS = 60;

async function audit() {
  // Without the tools of the build, which Dependabot watches.
  const npm = await run('npm', ['audit', '--omit', 'dev']);
  const govulncheck = await goTool('golang.org/x/vuln/cmd/govulncheck', 'v1.8.0');
  const go = await run(govulncheck, ['./pkg/...']);
  const sdk = await run('go', ['list', '-m', '-f', '{{.Time.Unix}}', SDK]);
  const days = Math.floor((Date.now() / 1000 - Number(sdk.stdout)) / 86_400);
  const checks = [
    ['npm audit', succeeded(npm, 'found 0 vulnerabilities'), npm.output],
    ['govulncheck', succeeded(go, 'No vulnerabilities found'), go.output],
    [SDK, sdk.code === 0 && days <= SDK_DAYS, `${days} days old, of at most ${SDK_DAYS} in the catalog`],
  ];
  for (const [what, isClean, output] of checks) {
    console.log(`${isClean ? '✔' : '✘'} ${what}: ${output.trim()}`);
  }
  return checks.every(([, isClean]) => isClean) ? 0 : 1;
}

await main(audit);
