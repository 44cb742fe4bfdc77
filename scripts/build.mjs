// Builds the programs that the demo and the tests run: a part of `npm run test:build`.
import { buildPrograms } from './lib/builds.mjs';
import { main } from './lib/progress.mjs';

await main(buildPrograms);
