import { createServer } from 'node:net';
import { previewBinary, simulatorBinary } from './builds.mjs';
import { startService } from './service.mjs';

/**
 * Starts the simulator and, connected to it, the preview with the real backend.
 *
 * @param {{ port?: number, simulatorArgs?: string[], pluginDir?: string }} [options] `port` is the preview's, if it is
 *   free; any free one otherwise. `pluginDir` is the folder of the built plugin, `dist` if it is missing.
 */
export async function startStack({ port = 0, simulatorArgs = [], pluginDir = 'dist' } = {}) {
  const simulator = await startService('The simulator', simulatorBinary, [
    ...['-listen', '127.0.0.1:0', '-json'],
    ...simulatorArgs,
  ]);
  const { address, baseUrl, projectId, monitoringToken, intelligenceUrl, inferenceApiKey } = simulator.ready;
  const { organizationId, accessKeyId, secretKey } = simulator.ready;
  try {
    const preview = await startService(
      'The preview',
      previewBinary,
      ['-listen', `127.0.0.1:${await freePort(port)}`, '-plugin', pluginDir],
      // The variables that the provisioned data source names.
      {
        env: {
          GPUCLOUD_BASE_URL: baseUrl,
          GPUCLOUD_PROJECT_ID: projectId,
          GPUCLOUD_MONITORING_TOKEN: monitoringToken,
          GPUCLOUD_INTELLIGENCE_URL: intelligenceUrl,
          GPUCLOUD_INFERENCE_API_KEY: inferenceApiKey,
          GPUCLOUD_ORGANIZATION_ID: organizationId,
          GPUCLOUD_ACCESS_KEY_ID: accessKeyId,
          GPUCLOUD_SECRET_KEY: secretKey,
        },
      }
    );
    return {
      previewUrl: preview.ready.address,
      simulatorUrl: address,
      monitoringToken,
      inferenceApiKey,
      /** Resolves with a sentence when either of the two ends. */
      ended: Promise.race([simulator.ended, preview.ended]),
      stop: () => Promise.all([preview.stop(), simulator.stop()]),
    };
  } catch (error) {
    await simulator.stop();
    throw error;
  }
}

/** The wanted port if nobody listens on it, else 0, which means any. */
function freePort(wanted) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(wanted)));
  });
}
