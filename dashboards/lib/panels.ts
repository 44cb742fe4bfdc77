import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  BarAlignment,
  BigValueGraphMode,
  BigValueTextMode,
  GraphDrawStyle,
  LineInterpolation,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTextDisplayOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  type DashboardLink,
  type DataTransformerConfig,
  type DynamicConfigValue,
  type Panel,
  type ThresholdsConfig,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as statetimeline from '@grafana/grafana-foundation-sdk/statetimeline';
import * as table from '@grafana/grafana-foundation-sdk/table';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import * as trend from '@grafana/grafana-foundation-sdk/trend';
import type { JobFilters } from '../../src/types/jobFilters.ts';
import { dataSource } from './dataSource.ts';
import { mappings, neutral, properties, STATUSES, thresholds, type Look, type Steps } from './display.ts';
import { JOBS, type Family } from './families.ts';
import { toJobOfLane, type DataLink } from './links.ts';
import { letter, target, untilEnd, type Query } from './queries.ts';

/** A panel of the width of the whole dashboard is 24 wide. */
export interface PlacedPanel {
  width: number;
  height: number;
  panel: Builder<Panel>;
}

/** What every panel has. */
interface Spec {
  title: string;
  description: string;
  /** Where the data comes from: how often, and what is said if there is none. */
  family: Family;
  queries: Query[];
  width: number;
  height?: number;
  unit?: string;
  decimals?: number;
  min?: number;
  max?: number;
  steps?: Steps;
  words?: Look['words'];
  link?: DataLink;
  /** Looks by the name of a field: the legend of a series, the column of a table. */
  looks?: Record<string, Look>;
  /** Looks by a regular expression of names. */
  looksLike?: Record<string, Look>;
  /** Reads every GPU, node or port there is: has fewer points, because each of them costs the platform a look at all. */
  ofFleet?: boolean;
  /** Whether the first query gives a row with a sentence where it finds nothing. */
  isExplained?: boolean;
  /** Steps in the time range at most, for a list that looks at each; fewer cost the platform less. */
  stepsInRange?: number;
  /** The shortest step, if it is not that of the family. */
  interval?: string;
  /** How far back it looks from the end, instead of the range of the dashboard. */
  past?: string;
}

/**
 * Most points a line has, for each of the 24 columns it is wide. A column is some 70 pixels on a large screen. Grafana
 * rounds the step to a pretty one, which may be the shorter, so a line can have up to twice as many points.
 */
const POINTS_PER_COLUMN = 20;
const POINTS_OF_FLEET = 120;

/** What the builders of all kinds of panels have in common. */
interface Common {
  title(title: string): this;
  description(description: string): this;
  datasource(source: typeof dataSource): this;
  interval(interval: string): this;
  maxDataPoints(points: number): this;
  noValue(text: string): this;
  withTarget(query: Builder<Dataquery>): this;
  overrideByName(name: string, properties: DynamicConfigValue[]): this;
  overrideByRegexp(pattern: string, properties: DynamicConfigValue[]): this;
  unit(unit: string): this;
  decimals(decimals: number): this;
  min(min: number): this;
  max(max: number): this;
  mappings(list: ValueMapping[]): this;
  thresholds(steps: Builder<ThresholdsConfig>): this;
  dataLinks(links: Array<Builder<DashboardLink>>): this;
  timeFrom(past: string): this;
}

/** Grafana shows this where a query has failed, too, and doesn't know which of the three it is. */
const nothing = ({ missing }: Family): string =>
  `Red sign: the query failed. No sign: nothing matches the choice above, or ${missing}`;

/** Of panels whose queries say themselves why there is nothing. */
const FAILED = 'Not known, because the query failed: point at the red sign in the corner.';

function common<P extends Common>(panel: P, spec: Spec): P {
  const { family, looks = {}, looksLike = {}, queries, width, ofFleet = false, interval = family.interval } = spec;
  const points = POINTS_PER_COLUMN * width;
  panel
    .title(spec.title)
    .description(spec.description)
    .datasource(family.source ?? dataSource)
    .interval(interval)
    .maxDataPoints(spec.stepsInRange ?? (ofFleet ? Math.min(points, POINTS_OF_FLEET) : points))
    .noValue(spec.isExplained ? FAILED : nothing(family));
  queries.forEach((query, index) => panel.withTarget(target(query, letter(index), interval, family.source)));
  Object.entries(looks).forEach(([name, look]) => panel.overrideByName(name, properties(look)));
  Object.entries(looksLike).forEach(([pattern, look]) => panel.overrideByRegexp(pattern, properties(look)));
  if (spec.unit) {
    panel.unit(spec.unit);
  }
  if (spec.decimals !== undefined) {
    panel.decimals(spec.decimals);
  }
  if (spec.min !== undefined) {
    panel.min(spec.min);
  }
  if (spec.max !== undefined) {
    panel.max(spec.max);
  }
  if (spec.words) {
    panel.mappings(mappings(spec.words));
  }
  if (spec.steps) {
    const { steps } = spec;
    panel.thresholds({ build: () => thresholds(steps) });
  }
  if (spec.link) {
    panel.dataLinks([{ build: () => spec.link as DashboardLink }]);
  }
  if (spec.past) {
    panel.timeFrom(spec.past);
  }
  return panel;
}

const place = ({ width, height = 8 }: Spec, panel: Builder<Panel>): PlacedPanel => ({ width, height, panel });

/** Of a title that can't follow the range: true whether it ends now or not. */
const AT_THE_END = 'At the end of the range';

/** Numbers side by side, in one request. Each is named by its query's legend. */
export function numbers(given: Omit<Spec, 'title'>): PlacedPanel {
  const description = `${given.description} That is now, if the range ends now.`;
  return facts({ ...given, title: AT_THE_END, description });
}

/** Numbers side by side that don't depend on the end of the range. */
export function facts(spec: Spec): PlacedPanel {
  const panel = common(new stat.PanelBuilder(), { height: 4, ...spec, steps: spec.steps ?? neutral })
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .graphMode(BigValueGraphMode.None)
    .textMode(BigValueTextMode.ValueAndName)
    .orientation(VizOrientation.Vertical)
    .text(new VizTextDisplayOptionsBuilder().titleSize(13).valueSize(26))
    .wideLayout(false);
  return place({ height: 4, ...spec }, panel);
}

interface PartsSpec extends Spec {
  /** The label that names the parts in the table that is the result. */
  by: string;
  /** What the parts are together, as the first number. */
  total: string;
  /** More numbers, made of the others. */
  computed?: ListSpec['computed'];
}

/** The parts of a whole side by side, from one query, and how many they are together. */
export function parts(spec: PartsSpec): PlacedPanel {
  const { by, total, looks = {}, computed = {} } = spec;
  const { width, height, panel } = facts(spec);
  const numbers = panel as stat.PanelBuilder & Builder<Panel>;
  const fields = [
    { fieldName: by, handlerKey: 'field.name' },
    { fieldName: 'Value', handlerKey: 'field.value' },
    { fieldName: 'Time', handlerKey: '__ignore' },
  ];
  const order = Object.fromEntries(Object.keys(looks).map((name, index) => [name, index]));
  numbers.withTransformation({ id: 'rowsToFields', options: { mappings: fields } }).withTransformation({
    id: 'calculateField',
    options: { alias: total, mode: 'reduceRow', reduce: { reducer: 'sum' } },
  });
  Object.entries(computed).forEach(([alias, [left, operator, right]]) =>
    numbers.withTransformation(calculated(alias, left, operator, right))
  );
  numbers
    .withTransformation({ id: 'filterFieldsByName', options: { include: { names: Object.keys(looks) } } })
    .withTransformation({ id: 'organize', options: { indexByName: order } });
  return { width, height, panel: numbers };
}

export interface GraphSpec extends Spec {
  /** Fills the areas and puts them on top of each other. */
  stacked?: boolean;
  /** A value holds until the next point, for counts at the points. */
  stepped?: boolean;
  /** Ends with the last step in the range: a point at the end would cost as much as all others. */
  untilLastStep?: boolean;
  /** Bars, for what was counted from each point to the next. */
  bars?: boolean;
  /** A table of series with their averages, at the right; without it the legend is a line below. */
  legend?: 'table';
}

/** Lines over time. */
export function graph(spec: GraphSpec): PlacedPanel {
  const isWhole = spec.bars || spec.untilLastStep || spec.family.source;
  const queries = isWhole ? spec.queries : spec.queries.map(untilEnd);
  const panel = common(new timeseries.PanelBuilder(), { ...spec, queries })
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .drawStyle(spec.bars ? GraphDrawStyle.Bars : GraphDrawStyle.Line)
    .fillOpacity(spec.stacked ? 25 : spec.bars ? 60 : 0)
    .showPoints(VisibilityMode.Never)
    .spanNulls(2.5 * milliseconds(spec.family.interval))
    .legend(spec.legend === 'table' ? legendBeside() : legendBelow());
  if (spec.unit === 'percentunit' && spec.max === undefined) {
    // Of lines that are all 0, Grafana's axis would end at 100: 10,000 %.
    panel.axisSoftMax(0.01);
  }
  if (spec.stepped) {
    panel.lineInterpolation(LineInterpolation.StepAfter);
  }
  if (spec.bars) {
    panel.barAlignment(BarAlignment.After);
  }
  if (spec.stacked) {
    panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'));
  }
  return place(spec, panel);
}

interface CurvesSpec extends Spec {
  x: string;
}

/** Lines over a number that rises, such as training steps: the field `x` of the one frame of the result. */
export function curves(spec: CurvesSpec): PlacedPanel {
  const panel = common(new trend.PanelBuilder(), spec)
    .xField(spec.x)
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
    .showPoints(VisibilityMode.Never)
    .spanNulls(true)
    .legend(legendBelow());
  return place(spec, panel);
}

const calculated = (alias: string, left: string, operator: string, right: string): DataTransformerConfig => ({
  id: 'calculateField',
  options: { alias, mode: 'binary', binary: { left: operand(left), operator, right: operand(right) } },
});

const legendBelow = () => new VizLegendOptionsBuilder().showLegend(true);

const legendBeside = () =>
  new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Right)
    .calcs(['mean', 'lastNotNull']);

/** How long lines go on without a sample: up to one that was missed. */
const milliseconds = (interval: Family['interval']): number => ({ '30s': 30e3, '1m': 60e3, '5m': 300e3 })[interval];

/** A column has a unit of its own, or none: one for all would turn a GPU's number into a percentage. */
export interface ListSpec extends Omit<Spec, 'unit' | 'decimals' | 'min' | 'max'> {
  /** Columns in this order, by the field's name; others are left out. */
  columns: Record<string, Look>;
  /** Sorts by the columns of these titles, largest first unless `rising`. */
  sortBy?: string | string[];
  rising?: boolean;
  /** Columns made of others: their values with an operator between them. `['Value', '*', '1']` is a copy. */
  computed?: Record<string, [left: string, operator: '+' | '-' | '*' | '/', right: string]>;
  /** Columns of texts that are numbers. */
  numeric?: string[];
  /** Leaves out rows that have nothing in this column, or 0 in that one. */
  required?: string;
  positive?: string;
  /** A row for each series of the first query, with its mean and a column for each of its labels. */
  reduced?: true;
  /** Most rows, where nobody can scroll. */
  limit?: number;
  /** The columns that are taken of a query, by its letter, and how they are called instead. */
  renamed?: Record<string, Record<string, string>>;
  /** Joins the rows of several queries by this column: merging goes by names that nothing can change. */
  joinedBy?: string;
}

/** A row for each thing. Several PromQL queries of one panel are joined by their labels. */
export function list(spec: ListSpec): PlacedPanel {
  const { columns, sortBy, rising = false } = spec;
  const panel = common(new table.PanelBuilder(), { ...spec, unit: 'none', looks: columns })
    .withOverride({ matcher: { id: 'byRegexp', options: '.*' }, properties: [{ id: 'noValue', value: '–' }] })
    .minWidth(60);
  transformations(spec).forEach((one) => panel.withTransformation(one));
  if (sortBy) {
    panel.sortBy([sortBy].flat().map((displayName) => ({ build: () => ({ displayName, desc: !rising }) })));
  }
  return place(spec, panel);
}

const FIRST = { id: 'byRefId', options: letter(0) };

function transformations(spec: ListSpec): DataTransformerConfig[] {
  const {
    queries,
    columns,
    computed = {},
    required,
    positive,
    reduced,
    limit,
    renamed = {},
    numeric = [],
    joinedBy,
  } = spec;
  const names = Object.keys(columns);
  const indexByName = Object.fromEntries(names.map((name, index) => [name, index]));
  return [
    ...(reduced ? [{ id: 'reduce', filter: FIRST, options: { reducers: ['mean'], labelsToFields: true } }] : []),
    ...Object.entries(renamed).flatMap(([letter, renameByName]) => {
      const filter = { id: 'byRefId', options: letter };
      return [
        { id: 'filterFieldsByName', filter, options: { include: { names: Object.keys(renameByName) } } },
        { id: 'organize', filter, options: { renameByName: onlyChanged(renameByName) } },
      ];
    }),
    ...(queries.length > 1
      ? [
          joinedBy
            ? { id: 'joinByField', options: { byField: joinedBy, mode: 'outerTabular' } }
            : { id: 'merge', options: {} },
        ]
      : []),
    ...numeric.map((targetField) => ({
      id: 'convertFieldType',
      options: { conversions: [{ targetField, destinationType: 'number' }] },
    })),
    ...(required ? [without(required, 'isNull')] : []),
    ...(positive ? [without(positive, 'equal', { value: 0 })] : []),
    ...Object.entries(computed).map(([alias, [left, operator, right]]) => calculated(alias, left, operator, right)),
    { id: 'filterFieldsByName', options: { include: { names } } },
    { id: 'organize', options: { indexByName } },
    ...(limit ? [...sorted(spec), { id: 'limit', options: { limitField: limit } }] : []),
  ];
}

const onlyChanged = (names: Record<string, string>) =>
  Object.fromEntries(Object.entries(names).filter(([from, to]) => from !== to));

/** Rows that are left out are the last ones: the panel would sort only those that are left. */
function sorted({ columns, sortBy, rising = false }: ListSpec): DataTransformerConfig[] {
  const [first] = [sortBy ?? []].flat();
  const field = Object.entries(columns).find(([name, { title = name }]) => title === first)?.[0];
  return field ? [{ id: 'sortBy', options: { sort: [{ field, desc: !rising }] } }] : [];
}

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
export function states(spec: Spec): PlacedPanel {
  const panel = common(new statetimeline.PanelBuilder(), spec)
    .perPage(ROWS_OF_PAGE)
    .legend(new VizLegendOptionsBuilder().showLegend(false));
  return place(spec, panel);
}

/** The states of fine-tuning jobs over time, a row for each: below a chart that jobs are drawn over, it distinguishes them. */
export const lanes = (title: string, filters: JobFilters = {}): PlacedPanel =>
  states({
    title,
    description:
      'A row for each job, as long as the job took; how it ended is beside its name. Newest first, 100 at most. Where no row runs, no job did. Click a row to see its job.',
    family: JOBS,
    width: 24,
    height: 10,
    words: STATUSES,
    link: toJobOfLane,
    queries: [{ queryType: 'fineTuningJobs', format: 'timeline', ...filters }],
  });
