import { namesOf } from '../../src/catalog/metrics/aliases.ts';
import { METRIC_GROUPS } from '../../src/catalog/metrics/groups.ts';
import { UNIT_SYMBOLS } from '../../src/catalog/metrics/types.ts';

/** @returns {string} Type, meaning and unit of each metric of the catalog, in JSON: what the backend knows of them. */
export function metadataFile() {
  const families = METRIC_GROUPS.filter(({ areExamples }) => !areExamples)
    .flatMap((group) => group.families)
    .flatMap(({ name, type = 'gauge', help, unit = 'short' }) =>
      namesOf(name).map((one) => [one, { type, help, unit: UNIT_SYMBOLS[unit] }])
    );
  return JSON.stringify(Object.fromEntries(families));
}
