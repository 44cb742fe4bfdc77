// Looks up known vulnerabilities of what is in the package, at npm and in Go's database: `npm run audit`. It fails if
// there is one, and if a service can't be reached.
import { run } from './lib/command.mjs';
import { goTool } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';
import { goVerdict, npmVerdict } from './package/advisories.mjs';

async function audit() {
  // Without the tools of the build, which Dependabot watches.
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
