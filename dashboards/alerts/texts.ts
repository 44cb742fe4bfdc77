// Templates that the texts of alert rules are made of. Grafana expands them with the functions of Prometheus 3.3, which has
// neither `now` nor `urlQueryEscape`.

/** The name of a node, as an operand: where the platform gives no `vm_name`, there is `instance`. */
export const NODE_NAME = '(or $labels.vm_name $labels.instance)';

export const NODE = `{{ ${NODE_NAME} }}`;
/** Not every fleet has a name for its clusters. */
export const OF_CLUSTER = '{{ with $labels.cluster_id }} of cluster {{ . }}{{ end }}';
export const GPU = `GPU {{ $labels.gpu }} of ${NODE}`;

/** The number of a query or expression, that of the first query if none is given. */
export const valueOf = (refId = 'A'): string => `$values.${refId}.Value`;

/** A number with a fixed number of decimals. */
export const fixed = (decimals: number, refId = 'A'): string => `{{ printf "%.${decimals}f" ${valueOf(refId)} }}`;

/** How many of something there are: "1 job", "2 jobs". */
export const counted = (one: string): string => `${fixed(0)} ${oneOrMany(one, `${one}s`)}`;

/** One text for a single thing, another for several. */
export const oneOrMany = (one: string, many: string): string =>
  `{{ if eq ${valueOf()} 1.0 }}${one}{{ else }}${many}{{ end }}`;

/** One text if the rule could be evaluated and its number is one, another if not: NaN is not equal to itself. */
export const ifKnown = (refId: string, known: string, unknown: string): string =>
  `{{ if and $values.${refId} (eq ${valueOf(refId)} ${valueOf(refId)}) }}${known}{{ else }}${unknown}{{ end }}`;

/** The text of the case with the value of the operand, or else the last text. Cases with the same text share a branch. */
export function choose(
  operand: string,
  cases: Array<[value: string | number, text: string]>,
  otherwise: string
): string {
  const written = (value: string | number) => (typeof value === 'number' ? value.toFixed(1) : `"${value}"`);
  const branches = [...Map.groupBy(cases, ([, text]) => text)].map(
    ([text, of], i) =>
      `{{ ${i > 0 ? 'else ' : ''}if eq ${operand} ${of.map(([value]) => written(value)).join(' ')} }}${text}`
  );
  return `${branches.join('')}{{ else }}${otherwise}{{ end }}`;
}
