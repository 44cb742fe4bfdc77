import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { zipSync } from 'fflate';

const REGULAR_FILE = 0o100000;
const UNIX = 3;

/**
 * Packs a folder. The bytes depend on nothing but names, contents, modes and `date`: entries are sorted, all of one
 * time, and the compressor is JavaScript, because the output of zlib differs with the processor.
 *
 * @param {string} folder
 * @param {{ name: string, date: Date, without?: string[] }} options `name` is the one folder within the archive; `date` is in
 *   UTC; `without` are files that are left out.
 * @returns {Uint8Array} A zip file.
 */
export function zipFolder(folder, { name, date, without = [] }) {
  // Zip files hold local time; a date whose local time is the wanted UTC time reads the same in every zone.
  const mtime = new Date(date.getTime() + date.getTimezoneOffset() * 60_000);
  const entries = {};
  for (const path of filesIn(folder).filter((file) => !without.includes(file))) {
    const mode = isExecutable(path) ? 0o755 : 0o644;
    const attrs = ((REGULAR_FILE | mode) << 16) >>> 0;
    entries[`${name}/${path}`] = [readFileSync(join(folder, path)), { level: 6, mtime, os: UNIX, attrs }];
  }
  return zipSync(entries);
}

/** Paths of all files below a folder, with slashes, sorted by code unit. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.split(sep).join('/'))
    .sort();
}

/** By name, because a file system may have no modes. */
function isExecutable(path) {
  return /^[^/]+_(linux|darwin|windows)_(amd64|arm64)(\.exe)?$/.test(path);
}

/** @returns {string} SHA-256 in hexadecimal. */
export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Writes a package with a file for each of its sums beside it: SHA-256, and SHA-1, which the form of Grafana's catalog asks for.
 *
 * @returns {string} The sums, a line each.
 */
export function writePackage(file, bytes) {
  writeFileSync(file, bytes);
  const lines = ['sha256', 'sha1'].map((algorithm) => {
    const sum = createHash(algorithm).update(bytes).digest('hex');
    writeFileSync(`${file}.${algorithm}`, `${sum}  ${basename(file)}\n`);
    return `${algorithm} ${sum}`;
  });
  return lines.join('\n');
}
