// Builds all that the demo and the tests run: `npm run test:build`.
import { buildAll } from './lib/builds.mjs';
import { main } from './lib/progress.mjs';

await main(buildAll);
