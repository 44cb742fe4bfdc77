import {
  cacheFieldDisplayNames,
  type DataFrame,
  DataFrameType,
  type Field,
  FieldColorModeId,
  type FieldConfig,
  FieldType,
  getDisplayProcessor,
  type GrafanaTheme2,
  outerJoinDataFrames,
  type QueryResultMetaNotice,
} from '@grafana/data';

/**
 * Does what Grafana does to frames before a visualisation gets them: defaults below the field's own configuration, a
 * display name, a color from the palette and a formatter for each field.
 */
export function prepareFrames(frames: DataFrame[], theme: GrafanaTheme2, defaults: FieldConfig = {}): DataFrame[] {
  let seriesIndex = 0;
  const prepared = frames.map((frame) => ({
    ...frame,
    fields: frame.fields.map((field): Field => {
      const isSeries = field.type === FieldType.number;
      const config: FieldConfig = isSeries
        ? { color: { mode: FieldColorModeId.PaletteClassic }, ...defaults, ...field.config }
        : { ...field.config };
      const next: Field = { ...field, config, state: { ...(isSeries ? { seriesIndex: seriesIndex++ } : {}) } };
      next.display = getDisplayProcessor({ field: next, theme });
      return next;
    }),
  }));
  cacheFieldDisplayNames(prepared);
  return prepared;
}

/** How a data source says that a frame is to be read, not drawn. */
const tableTypes: Array<string | undefined> = ['table', 'rawPrometheus'];

const isForTable = (frame: DataFrame) => tableTypes.includes(frame.meta?.preferredVisualisationType);

/** Frames to draw as lines: those with a time and a number, unless the data source wants them in a table. */
export function graphFrames(frames: DataFrame[]): DataFrame[] {
  return frames.filter(
    (frame) =>
      !isForTable(frame) &&
      frame.fields.some((field) => field.type === FieldType.time) &&
      frame.fields.some((field) => field.type === FieldType.number)
  );
}

/**
 * Frames that are single numbers with labels, as a stat panel or an alert rule takes them. An instant PromQL query in
 * Explore isn't among them: all its numbers come as the rows of one frame for a table.
 */
export function numberFrames(frames: DataFrame[]): DataFrame[] {
  return frames.filter(
    (frame) => !isForTable(frame) && frame.meta?.type === DataFrameType.NumericMulti && frame.length > 0
  );
}

/** One table of a result: what the data source made for a table, else its series side by side. */
export function tableFrame(frames: DataFrame[]): DataFrame | undefined {
  const tables = frames.filter(isForTable);
  const rest = tables.length > 0 ? tables : frames;
  return rest.length > 1 ? outerJoinDataFrames({ frames: rest }) : rest[0];
}

/** Every distinct notice that came with the frames, such as the API's warnings. */
export function noticesOf(frames: DataFrame[]): QueryResultMetaNotice[] {
  const all = frames.flatMap((frame) => frame.meta?.notices ?? []);
  return all.filter((notice, index) => all.findIndex((other) => other.text === notice.text) === index);
}
