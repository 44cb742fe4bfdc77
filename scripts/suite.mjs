// Runs a part of `npm test`, and keeps how many tests it has: `node scripts/suite.mjs jest jest --maxWorkers 50%`.
import { run } from './lib/command.mjs';
import { keepCount } from './lib/suites.mjs';

const [part, command, ...args] = process.argv.slice(2);
const { code, output } = await run(command, args, { onOutput: (text) => process.stdout.write(text) });
keepCount(part, output);
process.exitCode = code;
