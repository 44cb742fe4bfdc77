/** Build tags of the backend that ships. */
export const BACKEND_TAGS = 'arrow_json_stdlib';

/** Patterns of every Go package: `go.work` joins the two modules, so that one command sees both. */
export const allPackages = ['./...', './simulator/...'];

/**
 * Environment under which everything is compiled, checked and tested: as what ships, so that a build, vet, lint and the
 * tests share the compiled packages of Go's build cache. Another `-trimpath`, CGO_ENABLED or `-race` compiles the
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
 * The packages whose tests run under the race detector in `npm test`: those under pkg/ whose code starts goroutines, or
 * has values that requests share which Grafana sends at the same time. A test compares the list with the code. All other
 * packages run under it in `npm run test:race`.
 */
export const racePackages = [
  './pkg/cache', // entries that are shared, and loaded once for all who wait
  './pkg/memory', // sizes of all data sources in one process
  './pkg/promclient', // what a client has learned about its platform
  './pkg/promclient/promjson', // pooled decoders
  './pkg/promclient/rangecache', // queries that read and extend the same ranges
  './pkg/platform', // signed requests side by side
  './pkg/plugin', // queries, resources and health checks at the same time, admission and shutdown
  './pkg/transport', // concurrency limits, coalesced requests, retries, the circuit breaker
  './pkg/tuning', // pages and jobs that are fetched side by side
];

/** The packages that make requests and results. `npm run mutate` looks for changes of them that no test notices. */
export const mutatedPackages = ['pkg/promclient', 'pkg/transport', 'pkg/platform', 'pkg/tuning'];
