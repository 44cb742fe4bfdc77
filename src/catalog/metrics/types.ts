/**
 * The metrics that deployments of the platform are known to have, as people look for them: by subject.
 *
 * Names and queries are written with the prefix `vendor_`, in whose place a deployment has its own (see `naming.ts`).
 * Names and labels: what deployments expose; units and meanings of the `DCGM_` fields:
 * https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html
 */
export interface MetricGroup {
  name: string;
  /** What is measured, in a sentence. */
  description: string;
  /** How often the platform collects it: the shortest step that makes sense. */
  interval: '30s' | '1m' | '5m';
  /** Labels that distinguish series. Not all deployments have all of them. */
  labels: string[];
  /** What it takes to have these metrics, for those who don't. */
  needs: string;
  /** True if the names are examples, because everybody has others. */
  areExamples?: boolean;
  families: MetricFamily[];
  /** Queries to start with. The most common one is first. */
  queries: StarterQuery[];
}

export interface MetricFamily {
  /** Of a histogram, the name that `_bucket`, `_sum` and `_count` are put behind. */
  name: string;
  /** A gauge if it is missing. */
  type?: 'counter' | 'histogram';
  /** A number if it is missing. */
  unit?: MetricUnit;
  help: string;
}

export interface StarterQuery {
  name: string;
  /** What the result means. */
  description: string;
  /** PromQL. It is written for samples every 60 s, or for the group's interval if that is longer. */
  expr: string;
  /** For example `{{instance}}`. */
  legend?: string;
  /** Of the result, which is a number if it is missing. */
  unit?: MetricUnit;
}

/** Grafana's id of a unit, as field configurations have it. */
export type MetricUnit = keyof typeof UNIT_SYMBOLS;

/** How a unit is written. */
export const UNIT_SYMBOLS = {
  short: '',
  locale: '',
  none: '',
  bool: '0 or 1',
  percent: '%',
  percentunit: '0 to 1',
  bytes: 'B',
  mbytes: 'MiB',
  Bps: 'B/s',
  MiBs: 'MiB/s',
  Gbits: 'Gbit/s',
  pps: 'packets/s',
  iops: 'IO/s',
  'suffix: conn/s': 'connections/s',
  celsius: '°C',
  watt: 'W',
  'suffix:mJ': 'mJ',
  rotmhz: 'MHz',
  s: 's',
  µs: 'µs',
  ns: 'ns',
  h: 'h',
} as const;
