import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Caches of scripts and tools. They are not in `node_modules`, because `npm ci` deletes it. */
export const cache = join(root, '.cache');

const exe = process.platform === 'win32' ? '.exe' : '';

/** Adds the platform's suffix for executables. */
export const executable = (path) => path + exe;
