// Builds the backend and measures it: `npm run bench`. Options go to the bench: `npm run bench -- -rounds 30`.
import { spawn } from 'node:child_process';
import { backendBinary, buildBackend, host } from './lib/builds.mjs';
import { root } from './lib/paths.mjs';
import { main } from './lib/progress.mjs';

async function bench() {
  await buildBackend(host);
  const args = ['run', './bench', '-backend', backendBinary(host), ...process.argv.slice(2)];
  const child = spawn('go', args, { cwd: root, stdio: 'inherit' });
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve(code ?? 1)));
}

await main(bench);
