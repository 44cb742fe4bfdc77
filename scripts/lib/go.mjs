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

/**
 * The packages whose tests run under the race detector in `npm test`: those under pkg/ that start goroutines, or run callers
 * at the same time. What they import is instrumented, too. A test compares the list with the code. All other packages run under
 * the race detector in `npm run race`.
 */
export const racePackages = [
  './pkg/cache', // entries that are shared, and loaded once for all who wait
  './pkg/gateway', // pages and jobs that are fetched side by side
  './pkg/panics', // all other goroutines
  './pkg/placement', // capacities, quotas and own nodes that are read at the same time
  './pkg/plugin', // queries of all services, resources and health checks at the same time, and admission
  './pkg/prom', // the platform's part of a query and the archive's
  './pkg/prom/results', // queries that read and extend the same ranges
  './pkg/runs', // runs that are measured at the same time
  './pkg/transport', // concurrency limits, retries, the circuit breaker
];

/**
 * Names of tests that `npm test` doesn't run under the race detector, which multiplies memory and processor time: they bound these, send
 * large queries or responses, or many, one after the other, and take most of its time. `npm run race` runs all.
 */
export const notRaced =
  'AsStrconv|Bounds|Budget|CacheEquality|ComeAndGo|Cuts|DocumentedEndpoints_SameResults|Duration|EveryEndpoint|EveryQueryType|Feeds_(Broken|Errors)|' +
  'HoldNoPermits|Hostile|Injection|LargePlatform|LargeResponses$|Limits_(Query|Series|Table)|ListLimits|' +
  'Lookups|Memory|NestingLimit|NoCache_Query|Oversize|ParsedOnce|ParserLimits|Prices|PrometheusErrors|QueuedBytes|ReadSamples|' +
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
