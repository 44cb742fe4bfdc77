import { namesOf } from '../../src/catalog/metrics/aliases.ts';
import { METRIC_GROUPS } from '../../src/catalog/metrics/groups.ts';
import { UNIT_SYMBOLS } from '../../src/catalog/metrics/types.ts';

/** With the unit, for which Prometheus' explorer of metrics has no other place. */
const helpOf = (help, unit) => (unit ? `${help} Unit: ${unit}.` : help);

/** @returns {string} Type, meaning and unit of each metric of the catalog, in JSON: what the backend knows of them. */
export function metadataFile() {
  const families = METRIC_GROUPS.filter(({ areExamples }) => !areExamples)
    .flatMap((group) => group.families)
    .flatMap(({ name, type = 'gauge', help, unit = 'short' }) =>
      namesOf(name).map((one) => [one, { type, help: helpOf(help, UNIT_SYMBOLS[unit]), unit: UNIT_SYMBOLS[unit] }])
    );
  return JSON.stringify(Object.fromEntries(families));
}
