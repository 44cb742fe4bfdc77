import { previewBinary } from './builds.mjs';
import { freePort } from './ports.mjs';
import { startService } from './service.mjs';
import { startSimulator } from './simulator.mjs';

/**
 * Starts the simulator and, connected to it, the preview with the real backend.
 *
 * @param {{ port?: number, simulatorArgs?: string[], pluginDir?: string, pageDir?: string }} [options] `port` is the preview's, if it is
 *   free; any free one otherwise. `pluginDir` is the folder of the built plugin, `dist` if it is missing,
 *   and `pageDir` that of the preview's page.
 */
export async function startStack({ port = 0, simulatorArgs, pluginDir = 'dist', pageDir = 'preview/dist' } = {}) {
  const simulator = await startSimulator(simulatorArgs);
  try {
    const args = ['-listen', `127.0.0.1:${await freePort(port)}`, '-plugin', pluginDir, '-page', pageDir];
    const preview = await startService('The preview', previewBinary, args, { env: simulator.env });
    return {
      previewUrl: preview.ready.address,
      simulatorUrl: simulator.address,
      env: simulator.env,
      /** Resolves with a sentence when either of the two ends. */
      ended: Promise.race([simulator.ended, preview.ended]),
      stop: () => Promise.all([preview.stop(), simulator.stop()]),
    };
  } catch (error) {
    await simulator.stop();
    throw error;
  }
}
