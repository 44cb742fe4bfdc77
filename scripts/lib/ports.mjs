import { createServer } from 'node:net';

/**
 * A free port of the loopback address: the wanted one if it is free, else any.
 *
 * @param {number} wanted 0 for any
 * @returns {Promise<number>}
 */
export function freePort(wanted) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (wanted === 0 ? reject(error) : resolve(freePort(0))));
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
