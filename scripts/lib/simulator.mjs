import { simulatorBinary } from './builds.mjs';
import { startService } from './service.mjs';

/**
 * Starts a simulated platform on a free port. It is the same at all times of a week.
 *
 * @param {string[]} [args] The simulator's own options; without them, the incidents that SIMULATOR_INCIDENT names.
 * @returns its addresses and credentials, and `env`: the variables that the provisioned data source names
 */
export async function startSimulator(args = ['-incident', process.env.SIMULATOR_INCIDENT ?? '']) {
  const { ready, ended, stop } = await startService('The simulator', simulatorBinary, [
    ...['-listen', '127.0.0.1:0', '-relative'],
    ...args,
  ]);
  return {
    ...ready,
    env: {
      GPUCLOUD_BASE_URL: ready.address,
      GPUCLOUD_PROJECT_ID: ready.projectId,
      GPUCLOUD_MONITORING_TOKEN: ready.monitoringToken,
      GPUCLOUD_INTELLIGENCE_URL: ready.intelligenceUrl,
      GPUCLOUD_INFERENCE_API_KEY: ready.inferenceApiKey,
      GPUCLOUD_ORGANIZATION_ID: ready.organizationId,
      GPUCLOUD_ACCESS_KEY_ID: ready.accessKeyId,
      GPUCLOUD_SECRET_KEY: ready.secretKey,
    },
    ended,
    stop,
  };
}
