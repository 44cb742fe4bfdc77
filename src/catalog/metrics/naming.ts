import type { MetricGroup } from './types.ts';

/** Stands for a deployment's own prefix in the catalog. */
export const NEUTRAL_PREFIX = 'vendor_';

/** What a classic histogram has behind its name. */
const HISTOGRAM_SUFFIXES = ['_bucket', '_sum', '_count'];

/**
 * The prefix of a deployment's metrics, found in the names of those it has: what most of the names of the catalog are
 * preceded by there. Nothing, if none of them is there.
 *
 * Prefixes end in an underscore, so that `acme_slurm_nodes` is not found in `my_acme_slurm_nodes_total`.
 */
export function findPrefix(names: Iterable<string>, groups: MetricGroup[]): string | undefined {
  const bare = new Set(
    groups
      .flatMap(({ families }) => families)
      .filter(({ name }) => name.startsWith(NEUTRAL_PREFIX))
      .flatMap(({ name, type }) => seriesNames(name.slice(NEUTRAL_PREFIX.length), type === 'histogram'))
  );
  const votes = new Map<string, number>();
  for (const name of names) {
    for (let at = name.indexOf('_'); at >= 0; at = name.indexOf('_', at + 1)) {
      if (bare.has(name.slice(at + 1))) {
        const prefix = name.slice(0, at + 1);
        votes.set(prefix, (votes.get(prefix) ?? 0) + 1);
      }
    }
  }
  const [winner] = [...votes].sort(([, a], [, b]) => b - a);
  return winner?.[0];
}

/** The names under which a family's series are found. */
export function seriesNames(family: string, isHistogram: boolean): string[] {
  return isHistogram ? HISTOGRAM_SUFFIXES.map((suffix) => family + suffix) : [family];
}

/** Text of the catalog, a name or a query, as this deployment writes it. */
export function withPrefix(text: string, prefix = NEUTRAL_PREFIX): string {
  return text.replace(/\bvendor_/g, () => prefix);
}
