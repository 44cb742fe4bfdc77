/**
 * Stands in for `semver` in `PrometheusDatasource`, which compares the version of a database with it: three numbers that the
 * settings of Grafana's Prometheus data source offer (see `webpack.config.ts`).
 */
export const gte = (version: string, other: string): boolean =>
  version.localeCompare(other, undefined, { numeric: true }) >= 0;
