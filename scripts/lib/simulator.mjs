import { simulatorBinary } from './builds.mjs';
import { startService } from './service.mjs';

/**
 * Starts a simulated platform on a free port. It is the same at all times of a week.
 *
 * @param {string[]} [args] The simulator's own options; without them, the incidents that SIMULATOR_INCIDENT names.
 * @returns its `address`, and `env`: the variables that the provisioned data source names
 */
export async function startSimulator(args = ['-incident', process.env.SIMULATOR_INCIDENT ?? '']) {
  const options = ['-listen', '127.0.0.1:0', '-relative', ...args];
  const { ready, ended, stop } = await startService('The simulator', simulatorBinary, options);
  return { ...ready, ended, stop };
}
