import { t } from '../../i18n';
import { namesOf, withNames } from '../../catalog/metrics/aliases.ts';
import { METRIC_GROUPS } from '../../catalog/metrics/groups.ts';
import { findPrefix, seriesNames, withPrefix } from '../../catalog/metrics/naming.ts';
import type { MetricFamily, MetricGroup, StarterQuery } from '../../catalog/metrics/types.ts';

export interface QueryEntry extends StarterQuery {
  /** Metrics that the query needs and the platform does not have. */
  missing: string[];
}

/** A group of the catalog, with the names of this platform. */
export interface GroupEntry extends MetricGroup {
  queries: QueryEntry[];
}

/**
 * The catalog as this platform has it: with its prefix, and with what of it is here.
 *
 * @param names of the platform's metrics; without any, nothing is known of what is here
 */
export function entriesFor(names: ReadonlySet<string> = new Set()): GroupEntry[] {
  const isPresenceKnown = names.size > 0;
  const prefix = findPrefix(names, METRIC_GROUPS);
  const isAbsent = ({ name, type }: MetricFamily) =>
    isPresenceKnown &&
    !namesOf(withPrefix(name, prefix)).some((known) =>
      seriesNames(known, type === 'histogram').every((series) => names.has(series))
    );
  const absent = METRIC_GROUPS.flatMap(({ families }) => families.filter(isAbsent)).map(({ name }) => name);

  return METRIC_GROUPS.map((group) => ({
    ...group,
    queries: group.queries.map((query) => ({
      ...query,
      expr: withNames(withPrefix(query.expr, prefix), names),
      missing: absent.filter((name) => mentions(query.expr, name)).map((name) => withPrefix(name, prefix)),
    })),
  }));
}

function mentions(expr: string, family: string): boolean {
  return new RegExp(`(^|[^\\w:])${family}(_bucket|_sum|_count)?($|[^\\w:])`).test(expr);
}

/** The groups with the queries in which every word of the search occurs. The name of a group counts for each of its queries. */
export function search(groups: GroupEntry[], text: string): GroupEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (...texts: string[]) => {
    const searched = texts.join(' ').toLowerCase();
    return words.every((word) => searched.includes(word));
  };
  return groups
    .map((group) => ({
      ...group,
      queries: group.queries.filter(({ name, description, expr }) =>
        matches(...[group.name, name, description].map((text) => t(text)), expr)
      ),
    }))
    .filter(({ queries }) => queries.length > 0);
}
