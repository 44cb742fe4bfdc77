import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** What the scripts and tools build, fetch or remember for the next time. It is not in `node_modules`, which `npm ci` deletes. */
export const cache = join(root, '.cache');

const exe = process.platform === 'win32' ? '.exe' : '';

/** Adds the platform's suffix for executables. */
export const executable = (path) => path + exe;
