import { existsSync } from 'node:fs';
import { aptInstall } from './apt.mjs';
import { findOnPath, run } from './command.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

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
    ['named by CHROMIUM_PATH', async () => process.env.CHROMIUM_PATH],
    ['already installed', async () => installed()],
    ["Playwright's, already installed", async () => chromium.executablePath()],
    ["Playwright's, installed just now", () => installPlaywrights(chromium)],
    ["Debian's, installed just now", installDebians],
  ];
  for (const [origin, find] of candidates) {
    const path = await find();
    if (path && existsSync(path) && (await starts(path))) {
      print(`  Chromium: ${path} (${origin})`);
      return path;
    }
  }
  throw new Error('No Chromium could be found or installed. Install one and name it in CHROMIUM_PATH.');
}

function installed() {
  return names.map(findOnPath).find(Boolean) ?? applications.find((path) => existsSync(path));
}

async function starts(path) {
  // Chrome for Windows opens a window instead of printing its version.
  return process.platform === 'win32' || (await run(path, ['--version'])).code === 0;
}

async function installPlaywrights(chromium) {
  await run('npx', ['playwright', 'install', 'chromium']);
  return chromium.executablePath();
}

async function installDebians() {
  await aptInstall(['chromium']);
  return installed();
}
