import { isPlainObject, lowerCase, mapValues, omitBy } from 'lodash';
import { t } from '../i18n';
import { BLANK_SOURCES, type RunSource, type SourceKind } from './runSource';
import { number, rows, text, texts } from '../saved/readers';

/** How an option is saved, which decides how it is read, how variables are filled into it, and how it is described. */
export type OptionKind =
  'list' | 'text' | 'promql' | 'runPromql' | 'number' | 'switch' | 'columns' | 'parameters' | 'source' | 'manualRuns';

/** What fills dashboard variables into options. */
export interface Templates {
  text: (text: string) => string;
  /** A variable with several values becomes as many entries. */
  list: (texts: string[]) => string[];
  promql: (expr: string) => string;
  /** PromQL that is run for each run, which the backend fills in. */
  runPromql: (expr: string) => string;
}

interface Kind {
  /** What is saved, as the front end expects it. What has no meaning where it stands reads as missing. */
  read: (saved: unknown) => unknown;
  fill: (value: never, templates: Templates) => unknown;
  /** What a line about the query says of the option. */
  words: (value: never, name: string) => string;
}

/** What is no number is left to the backend, which says so. */
const numberIn = (value: string) => Number(value) || value;

const fillText = (value: string, templates: Templates) => templates.text(value);

/** Rows of texts: `required` are those that have to be there, and `expr` is PromQL. */
const rowsOf = (required: Record<string, string>): Kind => ({
  read: (saved) => rows(saved, required),
  fill: (value: Array<Record<string, string | undefined>>, templates) =>
    value.map((row) =>
      mapValues(row, (cell, name) => cell && (name === 'expr' ? templates.runPromql : templates.text)(cell))
    ),
  words: () => '',
});

const KINDS: Record<OptionKind, Kind> = {
  list: {
    read: texts,
    fill: (value: string[], templates) => templates.list(value),
    words: (value: string[]) => value.join(', '),
  },
  text: { read: text, fill: fillText, words: (value: string, name) => (name === 'format' ? lowerCase(value) : value) },
  promql: {
    read: text,
    // Grafana mixes the empty expression of new PromQL queries into every query. One that a variable leaves empty stays a blank,
    // which the backend refuses: without any, the query would be about all jobs.
    fill: (value: string, templates) => (value ? templates.promql(value) || ' ' : undefined),
    words: (value: string) => value,
  },
  runPromql: {
    read: text,
    fill: (value: string, templates) => (value ? templates.runPromql(value) : undefined),
    words: (value: string) => value,
  },
  number: {
    read: number,
    fill: (value: number | string, templates) => (typeof value === 'string' ? numberIn(templates.text(value)) : value),
    words: (value: number | string, name) => `${lowerCase(name)} ${value}`,
  },
  switch: {
    read: (saved) => saved,
    fill: (value) => value,
    words: (value: boolean, name) => (value ? lowerCase(name) : `not ${lowerCase(name)}`),
  },
  columns: rowsOf({ selector: '' }),
  parameters: rowsOf({ name: '', value: '' }),
  manualRuns: rowsOf({ name: '', from: '', to: '' }),
  source: {
    read: readSource,
    fill: (value: RunSource, templates) => fillOptions({ ...value }, SOURCE, templates),
    words: describeSource,
  },
};

/** The options of all kinds of sources of runs. The kind may be a dashboard variable. */
const SOURCE: Record<string, OptionKind> = {
  kind: 'text',
  statuses: 'list',
  models: 'list',
  jobIds: 'list',
  expr: 'runPromql',
  by: 'list',
  maxGap: 'text',
  runs: 'manualRuns',
};

const isSourceKind = (kind: unknown): kind is SourceKind =>
  typeof kind === 'string' && Object.hasOwn(BLANK_SOURCES, kind);

/** A saved source of runs. A missing one is all fine-tuning jobs; one of a kind that a later version brought stays as it is. */
function readSource(saved: unknown): RunSource {
  const { kind = 'fineTuning', ...options } = isPlainObject(saved) ? (saved as Partial<RunSource>) : { kind: saved };
  if (!isSourceKind(kind)) {
    return isPlainObject(saved) ? (saved as RunSource) : BLANK_SOURCES.fineTuning;
  }
  const read = omitBy(readOptions(options, SOURCE), (value) => value === undefined);
  return { ...BLANK_SOURCES[kind], ...read } as RunSource;
}

function describeSource(source: RunSource): string {
  switch (source.kind) {
    case 'series':
      return source.by.length > 0 ? `${source.expr} by ${source.by.join(', ')}` : source.expr;
    case 'manual':
      return source.runs.map(({ name }) => name).join(', ');
    default:
      return t('Fine-tuning jobs');
  }
}

type Options = Record<string, unknown>;
type Kinds = Record<string, OptionKind>;

/** Options as the front end expects them. Those of no known kind stay as they are. */
export const readOptions = (options: Options, kinds: Kinds): Options =>
  mapValues(options, (value, name) => (Object.hasOwn(kinds, name) ? KINDS[kinds[name]].read(value) : value));

/** Options with dashboard variables filled in. */
export const fillOptions = (options: Options, kinds: Kinds, templates: Templates): Options =>
  mapValues(options, (value, name) =>
    Object.hasOwn(kinds, name) && value !== undefined ? KINDS[kinds[name]].fill(value as never, templates) : value
  );

/** What a line about a query says of its options, in their order. A table is the usual format. */
export const describeOptions = (options: Options, kinds: Kinds): string[] =>
  Object.entries(kinds)
    .filter(([name]) => options[name] !== undefined && options[name] !== 'table')
    .map(([name, kind]) => KINDS[kind].words(options[name] as never, name))
    .filter(Boolean);
