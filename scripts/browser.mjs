// Runs the browser tests in front of the preview, with a Chromium that is found or installed: `npm run test:browser`.
import { findChromium } from './lib/chromium.mjs';
import { runOnTerminal } from './lib/command.mjs';
import { main } from './lib/progress.mjs';

await main(async () =>
  runOnTerminal('playwright', ['test', '--config', 'tests/preview', '--reporter', 'list', ...process.argv.slice(2)], {
    CHROMIUM_PATH: await findChromium(),
    FORCE_COLOR: '0',
  })
);
