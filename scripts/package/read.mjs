import { promisify } from 'node:util';
import { buffer } from 'node:stream/consumers';
import { fromBuffer } from 'yauzl';

/**
 * A file of a zip archive.
 *
 * @typedef {{ path: string, mode: number, date: Date, contents: Buffer }} Entry `mode` is Unix', with the file's type.
 */

/**
 * Reads a zip archive whole, with the modes, checking lengths, checksums and paths.
 *
 * @param {Uint8Array} bytes
 * @returns {Promise<Entry[]>} In the archive's order.
 */
export async function readZip(bytes) {
  const zip = await promisify(fromBuffer)(Buffer.from(bytes), { lazyEntries: true });
  const open = promisify(zip.openReadStream.bind(zip));
  return new Promise((resolve, reject) => {
    const entries = [];
    zip.on('error', reject);
    zip.on('end', () => resolve(entries));
    zip.on('entry', async (entry) => {
      try {
        const contents = await buffer(await open(entry));
        const date = entry.getLastModDate({ timezone: 'UTC' });
        entries.push({ path: entry.fileName, mode: entry.externalFileAttributes >>> 16, date, contents });
        zip.readEntry();
      } catch (error) {
        reject(error);
      }
    });
    zip.readEntry();
  });
}
