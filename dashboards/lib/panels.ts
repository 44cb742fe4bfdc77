import { dataSource } from './dataSource.ts';
import { leastOfAxis, mappings, neutral, properties, thresholds, type Look } from './display.ts';
import { SENTENCE } from './promql.ts';
import { letter, rows, target, untilEnd, type Query } from './queries.ts';

/** A panel as Grafana saves it, without the number and the place that it has on a dashboard. */
export interface Panel {
  type: string;
  title: string;
  /** What is beside each other has one height. */
  gridPos: { h: number };
  /** If it is missing, as many points as the panel is wide enough for. */
  maxDataPoints?: number;
  options?: object;
  fieldConfig?: FieldConfig;
  transformations?: Transformation[];
  /** Another panel of the dashboard, whose result it shows: it reads nothing itself. */
  resultOf?: Panel;
  [more: string]: unknown;
}

interface FieldConfig {
  defaults: Record<string, unknown>;
  overrides: Override[];
}

interface Override {
  matcher: { id: 'byName' | 'byRegexp'; options: string };
  properties: Array<{ id: string; value: unknown }>;
}

interface Transformation {
  id: string;
  filter?: object;
  options: object;
}

/** What every panel has. */
interface Spec extends Pick<Look, 'unit' | 'decimals' | 'min' | 'max' | 'steps' | 'words' | 'link'> {
  title: string;
  description: string;
  /** Why there can be nothing, as the end of a sentence, if not because the metrics are not collected. */
  missing?: string;
  /** How often it is collected, if not every minute: the shortest step that makes sense. */
  every?: keyof typeof MILLISECONDS;
  queries: Query[];
  height?: number;
  /** Looks by the name of a field: the legend of a series, the column of a table. */
  looks?: Record<string, Look>;
  /** Looks by a regular expression of names. */
  looksLike?: Record<string, Look>;
  /** Whether the queries say themselves why there is nothing. */
  isExplained?: boolean;
  /** Steps in the time range at most, where each of them looks at all there is; fewer cost the platform less. */
  stepsInRange?: number;
  /** The shortest step, if it is longer. */
  interval?: string;
  /** How far back it looks from the end, instead of the range of the dashboard. */
  past?: string;
}

/** Grafana shows this where a query has failed, too, and doesn't know which of the three it is. */
const nothing = (missing = 'these metrics are not collected: the question mark above leads to what they need.') =>
  `Nothing matches the choice above, or ${missing} Red sign: the query failed.`;

/** Of panels whose queries say themselves why there is nothing. */
const FAILED = 'Not known, because the query failed: point at the red sign in the corner.';

/** What one kind of panel has. Grafana's defaults are left out. */
interface Kind {
  type: string;
  options: object;
  custom?: Record<string, unknown>;
  overrides?: Override[];
  transformations?: Transformation[];
}

function panelOf(spec: Spec, { type, options, custom, overrides = [], transformations }: Kind): Panel {
  const { looks = {}, looksLike = {}, height = 8, every = '1m', interval = every } = spec;
  const { title, description, unit, decimals, min, max, past } = spec;
  return {
    type,
    title,
    description,
    gridPos: { h: height },
    datasource: dataSource,
    interval,
    maxDataPoints: spec.stepsInRange,
    timeFrom: past,
    targets: spec.queries.map((query, index) => target(query, letter(index), interval)),
    transformations,
    options,
    fieldConfig: {
      defaults: {
        custom,
        noValue: spec.isExplained ? FAILED : nothing(spec.missing),
        unit,
        decimals,
        min,
        max,
        mappings: spec.words && mappings(spec.words),
        thresholds: spec.steps && thresholds(spec.steps),
        links: spec.link && [spec.link],
      },
      overrides: [...overridesOf('byName', looks), ...overridesOf('byRegexp', looksLike), ...overrides],
    },
  };
}

const overridesOf = (id: Override['matcher']['id'], looks: Record<string, Look>): Override[] =>
  Object.entries(looks).map(([options, look]) => ({ matcher: { id, options }, properties: properties(look) }));

/** Numbers side by side. Each is named by its query's legend. */
export const facts = (spec: Spec, kind: Partial<Kind> = {}): Panel =>
  panelOf(
    { height: 4, ...spec, steps: spec.steps ?? neutral },
    {
      type: 'stat',
      options: {
        graphMode: 'none',
        textMode: 'value_and_name',
        orientation: 'vertical',
        text: { titleSize: 13, valueSize: 26 },
        wideLayout: false,
      },
      ...kind,
    }
  );

interface PartsSpec extends Omit<Spec, 'queries'> {
  /** PromQL of them. */
  found: string;
  /** The label that names the parts in the table that is the result. */
  by: string;
  /** What the parts are together, as the first number. */
  total: string;
  /** More numbers, made of the others. */
  computed?: ListSpec['computed'];
}

/** The parts of a whole side by side, from one query, and how many they are together. */
export function parts({ found, by, total, computed = {}, ...given }: PartsSpec): Panel {
  const spec = { ...given, queries: [rows(found)] };
  const mappings = [
    { fieldName: by, handlerKey: 'field.name' },
    { fieldName: 'Value', handlerKey: 'field.value' },
    { fieldName: 'Time', handlerKey: '__ignore' },
  ];
  return facts(spec, {
    transformations: [
      { id: 'rowsToFields', options: { mappings } },
      { id: 'calculateField', options: { alias: total, mode: 'reduceRow', reduce: { reducer: 'sum' } } },
      ...calculated(computed),
      ...chosenFields(spec.looks ?? {}),
    ],
  });
}

export interface GraphSpec extends Spec {
  /** Fills the areas and puts them on top of each other. */
  stacked?: boolean;
  /** A value holds until the next point, for counts at the points. */
  stepped?: boolean;
  /** Ends with the last step in the range: a point at the end would cost as much as all others. */
  untilLastStep?: boolean;
  /** An axis of factors: a line far above the others leaves these their shape. What is not above 0 is left out. */
  isByFactors?: true;
  /** A table of series with their averages, at the right; without it the legend is a line below. */
  legend?: 'table';
}

/** Lines over time. */
export function graph(spec: GraphSpec): Panel {
  const { stacked, stepped, legend, every = '1m', unit, max, isByFactors } = spec;
  return panelOf(
    {
      min: isByFactors ? undefined : 0,
      ...spec,
      queries: spec.untilLastStep ? spec.queries : spec.queries.map(untilEnd),
    },
    {
      type: 'timeseries',
      options: { tooltip: TOOLTIP, legend: legend && LEGEND_BESIDE },
      custom: {
        fillOpacity: stacked ? 25 : 0,
        lineInterpolation: stepped && 'stepAfter',
        showPoints: 'never',
        // Lines go on where one sample was missed.
        spanNulls: 2.5 * MILLISECONDS[every],
        stacking: stacked && { mode: 'normal', group: 'A' },
        // By two: an axis ends at a power of its base, so with ten lines from 1.6 to 3.8 have a third of it.
        scaleDistribution: isByFactors && { type: 'log', log: 2 },
        axisSoftMax: max === undefined ? leastOfAxis(unit) : undefined,
      },
    }
  );
}

interface CurvesSpec extends Spec {
  x: string;
}

/** Lines over a number that rises, such as training steps: the field `x` of the one frame of the result. */
export const curves = ({ x, ...spec }: CurvesSpec): Panel =>
  panelOf(spec, {
    type: 'trend',
    options: { xField: x, tooltip: TOOLTIP },
    custom: { showPoints: 'never', spanNulls: true },
  });

const TOOLTIP = { mode: 'multi', sort: 'desc' };
const LEGEND_BESIDE = { displayMode: 'table', placement: 'right', calcs: ['mean', 'lastNotNull'] };

const MILLISECONDS = { '30s': 30e3, '1m': 60e3, '5m': 300e3 };

/** A column has a unit of its own, or none: one for all would turn a GPU's number into a percentage. */
export interface ListSpec extends Omit<Spec, 'unit' | 'decimals' | 'min' | 'max' | 'queries' | 'isExplained'> {
  /** PromQL is read as a row for each series. */
  queries?: Array<Query | string>;
  /** The first query, if it gives a row with a sentence where it finds nothing. */
  found?: string;
  /** Columns in this order, by the field's name; others are left out. */
  columns: Record<string, Look>;
  /** Sorts by the columns of these titles, largest first unless `rising`. */
  sortBy?: string | string[];
  rising?: boolean;
  /** Rows of two lines. Else only what is a text in the result makes its row higher, and no word for a number. */
  twoLines?: true;
  /** Columns made of others: their values with an operator between them. `['Value', '*', '1']` is a copy. */
  computed?: Record<string, [left: string, operator: '+' | '-' | '*' | '/', right: string]>;
  /** Columns of texts that are numbers. */
  numeric?: string[];
  /** Leaves out rows that have nothing in this column, or that number in one. The first of several queries, if it is `found`. */
  required?: string;
  without?: Record<string, number>;
  /** The columns that are taken of a query, by its letter, and how they are called instead. */
  renamed?: Record<string, Record<string, string>>;
  /** Adds up the rows of another panel with the same in one column, in place of queries. The sum of a column is called `Value (sum)`. */
  sumOf?: { panel: Panel; by: string };
  /** Joins the rows of several queries, whose results have these names, by a column: merging goes by names that nothing can change. */
  joined?: { by: string; results: string[] };
}

/** A row for each thing. Several PromQL queries of one panel are joined by their labels. */
export const list = ({ found, ...given }: ListSpec): Panel => {
  const queries = [...(found ? [found] : []), ...(given.queries ?? [])].map(rowsOf);
  const required = queries.length > 1 ? 'Value #A' : undefined;
  const columns = { [SENTENCE]: RESULT, ...given.columns };
  const spec = found ? { required, isExplained: true, ...given, columns } : given;
  const panel = panelOf(
    { ...spec, queries, unit: 'none', looks: spec.columns },
    {
      type: 'table',
      options: {
        cellHeight: spec.twoLines && 'lg',
        sortBy: [spec.sortBy ?? []].flat().map((displayName) => ({ displayName, desc: !spec.rising })),
      },
      custom: { minWidth: 60 },
      overrides: [{ matcher: { id: 'byRegexp', options: '.*' }, properties: [{ id: 'noValue', value: '–' }] }],
      transformations: transformations({ ...spec, queries }),
    }
  );
  return spec.sumOf ? { ...panel, resultOf: spec.sumOf.panel } : panel;
};

const rowsOf = (query: Query | string): Query => (typeof query === 'string' ? rows(query) : query);

/** Of a list that found nothing, which has no other text. */
const RESULT: Look = { title: 'Result', minWidth: 200, wrap: true };

function transformations(spec: ListSpec & { queries: Query[] }): Transformation[] {
  const { queries, columns, computed = {}, required, renamed = {}, numeric = [], joined, sumOf } = spec;
  return [
    ...(sumOf ? [summed(sumOf.by)] : []),
    ...Object.entries(renamed).flatMap(([letter, renameByName]) => {
      const filter = { id: 'byRefId', options: letter };
      return [
        { id: 'filterFieldsByName', filter, options: { include: { names: Object.keys(renameByName) } } },
        { id: 'organize', filter, options: { renameByName: onlyChanged(renameByName) } },
      ];
    }),
    ...(queries.length > 1
      ? [
          joined
            ? { id: 'joinByField', options: { byField: joined.by, mode: 'outerTabular' } }
            : { id: 'merge', options: {} },
        ]
      : []),
    ...numeric.map((targetField) => ({
      id: 'convertFieldType',
      options: { conversions: [{ targetField, destinationType: 'number' }] },
    })),
    ...(required ? [without(required, 'isNull')] : []),
    ...Object.entries(spec.without ?? {}).map(([column, value]) => without(column, 'equal', { value })),
    ...calculated(computed),
    ...chosenFields(columns, joined?.results),
  ];
}

/**
 * Fields by their names, in this order. To order them, Grafana takes the title that a query gives them, or, once they are joined, also the
 * name of the result that they are from.
 */
function chosenFields(fields: Record<string, Look>, results: string[] = []): Transformation[] {
  const called = Object.entries(fields).map(([name, { title = name }]) => [
    name,
    title,
    ...results.map((result) => `${name} ${result}`),
  ]);
  const indexByName = Object.fromEntries(called.flatMap((all, index) => all.map((name) => [name, index])));
  return [
    { id: 'filterFieldsByName', options: { include: { names: Object.keys(fields) } } },
    { id: 'organize', options: { indexByName } },
  ];
}

const calculated = (computed: NonNullable<ListSpec['computed']>): Transformation[] =>
  Object.entries(computed).map(([alias, [left, operator, right]]) => ({
    id: 'calculateField',
    options: { alias, mode: 'binary', binary: { left: operand(left), operator, right: operand(right) } },
  }));

const summed = (by: string): Transformation => ({
  id: 'groupBy',
  options: {
    fields: {
      [by]: { operation: 'groupby', aggregations: [] },
      Value: { operation: 'aggregate', aggregations: ['sum'] },
    },
  },
});

const onlyChanged = (names: Record<string, string>) =>
  Object.fromEntries(Object.entries(names).filter(([from, to]) => from !== to));

/** A number or a variable, or the name of a column. */
const operand = (text: string) =>
  Number.isNaN(Number(text)) && !text.startsWith('$') ? { matcher: { id: 'byName', options: text } } : { fixed: text };

const without = (fieldName: string, id: string, options = {}) => ({
  id: 'filterByValue',
  options: { type: 'exclude', match: 'any', filters: [{ fieldName, config: { id, options } }] },
});

/** Most rows that are shown at a time; the others are on the next page. */
const ROWS_OF_PAGE = 12;

/** States over time, a row for each thing. */
export const states = (spec: Spec): Panel =>
  panelOf(spec, { type: 'state-timeline', options: { perPage: ROWS_OF_PAGE, legend: { showLegend: false } } });
