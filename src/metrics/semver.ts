/**
 * Stands in for all of `semver` in `PrometheusDatasource`, which compares two versions with it (see
 * `webpack.config.ts`).
 */
export { default as gte } from 'semver/functions/gte';
