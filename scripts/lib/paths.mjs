import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** What the scripts build or fetch for themselves; `npm ci` clears it. */
export const cache = join(root, 'node_modules', '.cache', 'gpucloud');

const exe = process.platform === 'win32' ? '.exe' : '';

/** Adds the platform's suffix for executables. */
export const executable = (path) => path + exe;
