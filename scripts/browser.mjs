// Runs the browser tests in front of the preview, with a Chromium that is found or installed: `npm run test:browser`. It has
// the packages of Grafana that the project is developed with, and React 18. Those of the newest Grafana, with React 19, run a few
// of the tests where they are installed, and with `npm run test:react19`, which installs them, all. Other options are Playwright's.
import { buildAll, buildReact19, hasReact19, react19 } from './lib/builds.mjs';
import { findChromium } from './lib/chromium.mjs';
import { mustRun, runOnTerminal } from './lib/command.mjs';
import { main, step } from './lib/progress.mjs';

async function browser() {
  const [only19, ...rest] =
    process.argv[2] === 'react19' ? process.argv.slice(2) : [undefined, ...process.argv.slice(2)];
  if (only19) {
    await step('Packages of React 19 installed', () =>
      mustRun('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: react19 })
    );
    await step('Types of React 19 checked', () => mustRun('tsc', ['-p', react19]));
    await buildAll();
  }
  const projects = only19 ? ['React 19'] : ['React 18'];
  if (hasReact19()) {
    await buildReact19();
    projects.push(...(only19 ? [] : ['React 19, some']));
  }
  return runOnTerminal(
    'playwright',
    ['test', '--config', 'tests/preview', ...projects.map((name) => `--project=${name}`), ...rest],
    { CHROMIUM_PATH: await findChromium(), FORCE_COLOR: '0' }
  );
}

await main(browser);
