import { buildBackend, buildFrontEnd } from './builds.mjs';
import { run, runOnTerminal } from './command.mjs';

const containerArchitectures = { x86_64: 'amd64', amd64: 'amd64', aarch64: 'arm64', arm64: 'arm64' };

/** Runs the demo in the Grafana of a container, by docker compose, until it is stopped. Returns the exit code. */
export async function runInDocker() {
  const docker = await run('docker', ['info', '--format', '{{.Architecture}}']);
  const arch = containerArchitectures[docker.stdout.trim()];
  if (docker.code !== 0 || !arch) {
    console.log('Docker is not running here: start it, or run `npm run demo` without --docker.');
    return 1;
  }
  if ((await run('docker', ['compose', 'version'])).code !== 0) {
    console.log('Docker runs here, but without its plugin compose, which starts the containers: install it.');
    return 1;
  }
  await buildFrontEnd();
  await buildBackend({ os: 'linux', arch });
  console.log('\nGrafana will be at http://localhost:3000. Ctrl-C stops it.\n');
  return runOnTerminal('docker', ['compose', 'up', '--build']);
}
