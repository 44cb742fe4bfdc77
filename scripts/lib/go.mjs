/** Build tags of the backend that ships. */
export const BACKEND_TAGS = 'arrow_json_stdlib';

/** Patterns of every Go package: `go.work` joins the two modules, so that one command sees both. */
export const allPackages = ['./...', './simulator/...'];

/** Modules that the workspace does not join, because nothing else is to depend on what they do. */
export const otherModules = ['bench/promlib'];

/**
 * Environment under which everything is compiled, checked and tested: as what ships, so that a build, lint and the tests
 * share the compiled packages of Go's build cache. Another `-trimpath`, CGO_ENABLED or `-race` compiles the
 * whole graph again.
 */
export const goEnv = {
  CGO_ENABLED: '0',
  GOAMD64: 'v1',
  GOARM64: 'v8.0',
  GOFLAGS: `-trimpath -buildvcs=false -tags=${BACKEND_TAGS}`,
};

/** The race detector is a library in C, and shares no compiled package with {@link goEnv}. */
export const raceEnv = { ...goEnv, CGO_ENABLED: '1' };

/**
 * The packages whose tests run under the race detector in `npm test`: those under pkg/ that start goroutines, or run callers
 * at the same time. What they import is instrumented, too. A test compares the list with the code. All other packages run under
 * the race detector in `npm run test:race`.
 */
export const racePackages = [
  './pkg/cache', // entries that are shared, and loaded once for all who wait
  './pkg/placement', // capacities, quotas and own nodes that are read at the same time
  './pkg/plugin', // queries of all services, resources and health checks at the same time, admission and shutdown
  './pkg/promclient', // the platform's part of a query and the archive's
  './pkg/promclient/rangecache', // queries that read and extend the same ranges
  './pkg/runs', // runs that are measured at the same time
  './pkg/transport', // concurrency limits, retries, the circuit breaker
  './pkg/tuning', // pages and jobs that are fetched side by side
];

/** The packages that make requests and results. `npm run mutate` looks for changes of them that no test notices. */
export const mutatedPackages = [
  'pkg/promclient',
  'pkg/transport',
  'pkg/platform',
  'pkg/tuning',
  'pkg/runs',
  'pkg/training',
  'pkg/placement',
];
