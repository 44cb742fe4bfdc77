import { namesOf } from '../../src/catalog/metrics/aliases.ts';
import { METRIC_GROUPS } from '../../src/catalog/metrics/groups.ts';

/** Units in the words of Prometheus' metadata, by Grafana's ids. A count has none. */
const UNITS = {
  short: '',
  bool: '',
  percent: 'percent',
  percentunit: 'ratio',
  bytes: 'bytes',
  mbytes: 'mebibytes',
  Bps: 'bytes per second',
  MiBs: 'mebibytes per second',
  bps: 'bits per second',
  pps: 'packets per second',
  iops: 'operations per second',
  reqps: 'requests per second',
  celsius: 'celsius',
  watt: 'watts',
  'suffix:mJ': 'millijoules',
  rotmhz: 'megahertz',
  s: 'seconds',
  µs: 'microseconds',
  ns: 'nanoseconds',
  h: 'hours',
};

/** @returns {string} Type, meaning and unit of each metric of the catalog, in JSON: what the backend knows of them. */
export function metadataFile() {
  const families = METRIC_GROUPS.filter(({ areExamples }) => !areExamples)
    .flatMap((group) => group.families)
    .flatMap(({ name, type, help, unit }) => namesOf(name).map((one) => [one, { type, help, unit: UNITS[unit] }]));
  return JSON.stringify(Object.fromEntries(families));
}
