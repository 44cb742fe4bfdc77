/** The samples of a series of a packed frame. */
export interface Samples {
  times: number[];
  values: number[];
  /** The rows of NaN, Inf and NegInf, as Grafana notes them where it reads JSON. */
  entities: Record<string, number[]>;
}

/** Stands where the number of decimal places is, for values that are no decimals. */
const XOR = 255;

/** Unpacks the samples of a packed frame. The backend's package `packed` documents the format. */
export function unpackSamples(base64: string): Samples[] {
  const packed = new PackedBytes(base64);
  const series: Samples[] = [];
  let times: number[] = [];
  while (packed.left > 0) {
    const runs = packed.unsigned();
    times = runs > 0 ? unpackTimes(packed, runs) : times;
    const places = packed.byte();
    series.push(
      places === XOR
        ? { times, ...unpackBits(packed, times.length) }
        : { times, values: unpackDecimals(packed, times.length, places), entities: {} }
    );
  }
  return series;
}

function unpackTimes(packed: PackedBytes, runs: number): number[] {
  const times: number[] = [];
  let time = 0;
  for (let run = 0; run < runs; run++) {
    const distance = packed.signed();
    const length = packed.unsigned();
    // Each of them has a value of at least one byte: a wrong length must not fill the memory.
    packed.require(length);
    for (let i = 0; i < length; i++) {
      time += distance;
      times.push(time);
    }
  }
  return times;
}

function unpackDecimals(packed: PackedBytes, length: number, places: number): number[] {
  const divisor = Number(`1e${places}`);
  const values: number[] = [];
  let integer = 0;
  for (let i = 0; i < length; i++) {
    integer += packed.signed();
    values.push(integer / divisor);
  }
  return values;
}

function unpackBits(packed: PackedBytes, length: number): Pick<Samples, 'values' | 'entities'> {
  const bits = new DataView(new ArrayBuffer(8));
  const values: number[] = [];
  const entities: Samples['entities'] = {};
  for (let i = 0; i < length; i++) {
    const control = packed.byte();
    const first = control >> 4;
    const end = first + (control & 15);
    for (let at = first; at < end; at++) {
      bits.setUint8(at, bits.getUint8(at) ^ packed.byte());
    }
    const value = bits.getFloat64(0, true);
    values.push(value);
    if (!Number.isFinite(value)) {
      (entities[entityOf(value)] ??= []).push(i);
    }
  }
  return { values, entities };
}

const entityOf = (value: number) => (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : 'NegInf');

/** Reads the numbers of packed samples. Where there are no further bytes, it throws. */
class PackedBytes {
  private readonly bytes: string;
  private position = 0;

  constructor(base64: string) {
    this.bytes = atob(base64);
  }

  get left(): number {
    return this.bytes.length - this.position;
  }

  require(bytes: number) {
    if (bytes > this.left) {
      throw new RangeError('A packed frame ends early.');
    }
  }

  byte(): number {
    this.require(1);
    return this.bytes.charCodeAt(this.position++);
  }

  unsigned(): number {
    const first = this.byte();
    return this.further(first, first & 127, 128);
  }

  signed(): number {
    const first = this.byte();
    // The lowest bit is the sign.
    const number = this.further(first, (first & 127) >> 1, 64);
    return first & 1 ? -number - 1 : number;
  }

  /** Adds the further bytes of a number, each of which is worth so much. Shifting bits would end at 32 of them. */
  private further(byte: number, number: number, worth: number): number {
    while (byte > 127) {
      byte = this.byte();
      number += (byte & 127) * worth;
      worth *= 128;
    }
    return number;
  }
}
