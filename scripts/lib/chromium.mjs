import { existsSync } from 'node:fs';
import { aptInstall } from './apt.mjs';
import { findOnPath, run } from './command.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Finds a Chromium, or installs one, and prints its path: the one that CHROMIUM_PATH names, else one that is installed,
 * else Playwright's own, else Debian's package.
 *
 * @param {(line: string) => void} [print] says which it is
 * @returns {Promise<string>} Path of an executable that starts.
 */
export async function findChromium(print = console.log) {
  const { chromium } = await import('playwright');
  const candidates = [
    ['named by CHROMIUM_PATH', () => process.env.CHROMIUM_PATH],
    ['already installed', installed],
    ["Playwright's, already installed", () => chromium.executablePath()],
    [
      "Playwright's, installed just now",
      () => run('playwright', ['install', 'chromium']).then(() => chromium.executablePath()),
    ],
    ["Debian's, installed just now", () => aptInstall(['chromium']).then(installed)],
  ];
  for (const [origin, find] of candidates) {
    const path = await find();
    // Chrome for Windows opens a window instead of printing its version.
    const starts = async () => process.platform === 'win32' || (await run(path, ['--version'])).code === 0;
    if (path && existsSync(path) && (await starts())) {
      print(`  Chromium: ${path} (${origin})`);
      return path;
    }
  }
  throw new Error('No Chromium could be found or installed. Install one and name it in CHROMIUM_PATH.');
}

const installed = () => names.map(findOnPath).find(Boolean);
