// Selectors and expressions that several dashboards share. Vendor families are written `vendor('vm_boot_time')`; the
// prefix is a variable, found by query.
import { namesOf } from '../../src/catalog/metrics/aliases.ts';

/** The full name of a vendor's metric. */
export const vendor = (name: string): string => `\${prefix}_${name}`;

/** The label that names a node: the best of those in host.ts that the metric has. */
export const HOST = '${host}';

/** The label that names the nodes of series that lack it; the same where none do. */
export const ALSO_HOST = '${also}';

/** The labels that identify a node, and a GPU. */
export const BY_NODE = `cluster_id, ${HOST}`;
export const BY_GPU = `${BY_NODE}, gpu`;

/** A matcher of all series, which fails like the rest of its query where the variable could not be read: else nodes would have no name. */
export const ANY_HOST = `${ALSO_HOST}=~".*"`;

/** What is picked on the dashboard, as matchers. */
export const IN_CLUSTER = 'cluster_id=~"$cluster"';
export const ON_NODE = `${HOST}=~"$node"`;

/**
 * A metric of all clusters and nodes with matchers, or several separated by `|`, under every name that each can have: as cheap as one name. A variable is a pattern
 * of names.
 */
export function anywhere(metric: string, ...matchers: string[]): string {
  if (/^\$\w+$/.test(metric)) {
    return `{${[`__name__=~"${metric}"`, ...matchers].join(', ')}}`;
  }
  const names = metric.split('|').flatMap(namesOf);
  if (names.length > 1) {
    return `{${[`__name__=~"${oneOf(names)}"`, ...matchers].join(', ')}}`;
  }
  return matchers.length > 0 ? `${metric}{${matchers.join(', ')}}` : metric;
}

/** Adds matchers to those of a selector, if it has any. */
export const matching = (selector: string, ...matchers: string[]): string => {
  if (matchers.length === 0) {
    return selector;
  }
  const more = matchers.join(', ');
  return selector.endsWith('}') ? `${selector.slice(0, -1)}, ${more}}` : `${selector}{${more}}`;
};

/** A short pattern for names: what they begin with, and their ends. */
function oneOf(names: string[]): string {
  let same = 0;
  while (names.every((name) => same < name.length && name[same] === names[0][same])) {
    same++;
  }
  return `${names[0].slice(0, same)}(${names.map((name) => name.slice(same)).join('|')})`;
}

/** Names, and not the pattern of one of which only the end is known. */
const SEVERAL_NAMES = /^\{__name__=~"(\w*)\(([\w|]+)\)"(?:, )?(.*)\}$/;

/**
 * Applies a function that drops names to the selectors of each name that a metric can have, or it would fail where a window
 * holds two: on the day of an upgrade.
 */
export function eachName(selector: string, apply: (one: string) => string): string {
  const [, start, ends, matchers] = SEVERAL_NAMES.exec(selector) ?? [];
  return ends
    ? `(${ends
        .split('|')
        .map((end) => apply(`${start}${end}{${matchers}}`))
        .join(' or ')})`
    : apply(selector);
}

/** A function of the samples in a window, for each series of a selector. */
export const over = (fn: string, selector: string, window: string, offset = ''): string =>
  eachName(selector, (one) => `${fn}(${one}[${window}]${offset})`);

export const inCluster = (metric: string, ...more: string[]): string => anywhere(metric, IN_CLUSTER, ...more);

/** Counters of throttling that rise for more than a share of the time, by their rate: DCGM counts nanoseconds (`dcgm_fields.h`). */
export const slowedFor = (rate: string, share: number): string => `${rate} > ${share} * 1e9`;

/**
 * A label with the value of another, if the pattern matches that. One that is new after an aggregation needs a pattern that always does:
 * else VictoriaMetrics gives it the value of a label that the aggregation has dropped (`getDstValue` in app/vmselect/promql/transform.go).
 */
export const copied = (expr: string, to: string, from: string, pattern = '(.+)'): string =>
  `label_replace(${expr},"${to}","$1","${from}","${pattern}")`;

/** With one text as a label, of all series. */
export const withLabel = (expr: string, label: string, text: string): string =>
  `label_replace(${expr}, "${label}", "${text}", "", "")`;

/** Of what was read, that whose label matches a pattern. It reads no metric. The label has a value of its own before, see `copied`. */
export const whereLabel = (expr: string, label: string, pattern: string): string =>
  `(label_replace(${withLabel(expr, 'i', '0')}, "i", "1", "${label}", "${pattern}") and on (i) absent(n{i="1"}))`;

/** Of what was read, that of the chosen clusters. */
export const onlyChosen = (expr: string): string => whereLabel(expr, 'cluster_id', '$cluster');

/** What is read to find GPUs of the chosen clusters: of one, or of all. A dashboard with it has the variable `scope`. */
export const inScope = (metric: string, ...more: string[]): string => anywhere(metric, 'cluster_id=~"$scope"', ...more);

/** Without the spaces that PromQL doesn't need: VictoriaMetrics takes 16 KiB. */
export const compact = (expr: string): string =>
  expr.replace(
    /("(?:[^"\\]|\\.)*")|\s*([(),{}[\]*/=<>!]+|(?<=\s)[+-](?=\s))\s*|(\s+)/g,
    (_, text, sign, space) => text ?? sign ?? (space && ' ')
  );

/**
 * Of each GPU what it is found with, which is so of few. VictoriaMetrics 1.79 evaluates the right side of `and` first, and then reads on the left only what
 * has its labels. Those of a comparison are of all GPUs, those of `topk` of few. Without any it reads all, but for those of a GPU that there is not.
 */
export const ofFew = (expr: string, found: string): string => `((${expr}) and ${few(found, 'gpu')})`;

/** What is found, or else what has a value of a label that nothing has. */
export const few = (found: string, label: string): string =>
  `(topk(1e6, ${found}) or on () ${labeledNumber('1', label, ';')})`;

/** A number with a label. It is half as long as `label_replace(vector(…), …)`: a metric that nothing has is absent with the labels looked for. */
export const labeledNumber = (number: string, label: string, text: string): string =>
  `${number} * absent(n{${label}="${text}"})`;

/** Adds the label `node`, which the platform may call otherwise, so that legends, tables and links can use it. The pattern always matches: see `copied`. */
export const withNode = (expr: string): string => copied(expr, 'node', HOST, '(.*)');

/** When it held last, in milliseconds: to the minute within six hours of the end of the range, which is the longest step, else to a step. */
export function lastIn(exprOf: (step: string) => string): string {
  const last = (step: string, window: string) => `max_over_time((time() + 0 * (${exprOf(step)}))[${window}])`;
  return `1000 * (${last('1m', '6h:1m')} or ${last('$__interval', '$__range:$__interval')})`;
}

/** The value of a row with a sentence. It can't be NaN: VictoriaMetrics leaves out what has no other value. */
export const NO_FINDING = -1;
/** Its label. */
export const SENTENCE = 'sentence';

/** A row with a sentence, where an expression without labels has a value. It has no node, whose link would lead to none. */
export const sentenceRow = (expr: string, sentence: string): string =>
  withLabel(`0 * ${expr} + ${NO_FINDING}`, SENTENCE, sentence);
