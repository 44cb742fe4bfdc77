import { isNull, mapValues, omitBy } from 'lodash';
import { DataFrameType, FieldType, type DataFrame, type Field, type Labels } from '@grafana/data';
import { unpackSamples, type Samples } from './packedSamples';

/** What Grafana adds to a field that it reads from JSON. Its type has neither. */
interface ReadField extends Field {
  typeInfo: { frame: string };
  /** The rows of values that JSON has not: NaN, Inf and NegInf. */
  entities: Record<string, number[]>;
}

/** The names, display names and labels of the series of a packed frame. */
interface SeriesColumns {
  name: Column;
  displayName: Column;
  labels: Record<string, Column>;
}

/** A property of each series, or of all of them if it is the same. */
type Column = string | Array<string | null>;

const PACKED = 'timeseries-packed';

/**
 * Makes a frame for each series of the packed frames of the backend, as Grafana's Prometheus data source has them. Series
 * with the same times share the array of the times.
 *
 * What is about the whole result, such as its notices, is in the meta of the first frame only.
 */
export function unpackFrames(frames: DataFrame[]): DataFrame[] {
  return frames.some(isPacked) ? frames.flatMap((frame) => (isPacked(frame) ? unpack(frame) : [frame])) : frames;
}

const isPacked = ({ meta }: DataFrame) => String(meta?.type) === PACKED;

function unpack({ fields: [series, samples], meta, ...frame }: DataFrame): DataFrame[] {
  const type = DataFrameType.TimeSeriesMulti;
  const { typeVersion, custom } = meta ?? {};
  const columns: SeriesColumns = JSON.parse(series.values[0]);
  return unpackSamples(samples.values[0]).map(({ times, values, entities }, i) => ({
    ...frame,
    meta: i === 0 ? { ...meta, type } : { type, typeVersion, custom: { resultType: custom?.resultType } },
    // Grafana changes configs, but no arrays of values.
    fields: [
      timeField(times, { ...samples.config }),
      { ...describe(columns, i), type: FieldType.number, typeInfo: { frame: 'float64' }, values, entities },
    ],
    length: values.length,
  }));
}

const timeField = (values: Samples['times'], config: Field['config']): ReadField => ({
  name: 'Time',
  type: FieldType.time,
  typeInfo: { frame: 'time.Time' },
  config,
  values,
  entities: {},
});

function describe({ name, displayName, labels }: SeriesColumns, i: number) {
  const of = (column: Column) => (typeof column === 'string' ? column : column[i]);
  const displayNameFromDS = of(displayName);
  return {
    name: of(name) ?? '',
    config: displayNameFromDS ? { displayNameFromDS } : {},
    labels: omitBy(mapValues(labels, of), isNull) as Labels,
  };
}
