import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths.mjs';

/** Build tags of the backend that ships. */
export const BACKEND_TAGS = 'arrow_json_stdlib';

/**
 * Environment under which everything is compiled, checked and tested: as what ships, so that a build, lint and the tests
 * share the compiled packages of Go's build cache. Another `-trimpath`, CGO_ENABLED or `-race` compiles the
 * whole graph again.
 *
 * What is linked has no symbols for debuggers, so the compiler writes none. It, and tests, make more garbage than they hold:
 * collecting it seldom takes a fifth of the processor time off both, and both together take a third off a compilation.
 */
export const goEnv = {
  CGO_ENABLED: '0',
  GOAMD64: 'v1',
  GOARM64: 'v8.0',
  GOFLAGS: `-trimpath -buildvcs=false -tags=${BACKEND_TAGS} -gcflags=all=-dwarf=false`,
  GOGC: '400',
};

/** The race detector is a library in C, and shares no compiled package with {@link goEnv}. */
export const raceEnv = { ...goEnv, CGO_ENABLED: '1' };

/** Code that starts goroutines, or runs callers at the same time. */
const CONCURRENT =
  /^\s*go (func|\w)|\.Go\(|\b(bulkhead|errgroup|semaphore|singleflight)\.[A-Z]|\bAfterFunc\(|\bpanics\.WhenDone\b/m;

/**
 * The packages of the backend with such code, or those around them that have their tests: `npm test` runs them under the race detector.
 * What they import is instrumented, too. `npm run race` runs all packages so.
 */
export function racePackages() {
  const files = readdirSync(join(root, 'pkg'), { recursive: true }).filter((file) => file.endsWith('.go'));
  const isTest = (file) => file.endsWith('_test.go');
  const code = (file) => readFileSync(join(root, 'pkg', file), 'utf8').replaceAll(/\/\/.*/g, '');
  const tested = files.filter(isTest).map(dirname);
  const folders = files.filter((file) => !isTest(file) && CONCURRENT.test(code(file))).map(dirname);
  return [...new Set(folders.map((folder) => `./pkg/${tested.includes(folder) ? folder : dirname(folder)}`))];
}

/**
 * Names of tests that `npm test` doesn't run under the race detector, which multiplies memory and processor time: they bound these, send
 * large queries or responses, or many, one after the other, and take most of its time. `npm run race` runs all. They are listed by hand,
 * because what a test takes under the race detector is measured, and in no source; a test finds names of none.
 */
export const notRaced =
  'AsStrconv|Bounds|Budget_OfARequest|CacheEquality|ComeAndGo|Cuts|DocumentedEndpoints_SameResults|Duration|EveryQueryType|Feeds_Broken|' +
  'Feeds_Errors|HoldNoPermits|Hostile|Injection|LargeResponses$|Limits_Series|Limits_Table|' +
  'Lookups|Memory|NoCache_Query|Oversize|ParserLimits|Prices|PrometheusErrors|QueuedBytes|ReadSamples|' +
  'Roles|SavedQueries|SecretLeak|SizeLimit|WrongSettings';

/** The packages that make requests and results. `npm run mutate` looks for changes of them that no test notices. */
export const mutatedPackages = [
  'pkg/prom',
  'pkg/transport',
  'pkg/mainapi',
  'pkg/gateway',
  'pkg/jobs',
  'pkg/runs',
  'pkg/runs/health',
  'pkg/placement',
];
