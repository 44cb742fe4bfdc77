import { unpackSamples } from './packedSamples';

const packed = (...bytes: number[]) => btoa(String.fromCharCode(...bytes));

describe('packed samples', () => {
  it('are those that the documentation of the format describes', () => {
    const minutes = [2, 0, 1, 0xc0, 0xa9, 7, 2];
    const same = 0;

    expect(unpackSamples(packed(...minutes, 0, 6, 0, 1, same, 2, 49, 0, 0))).toStrictEqual([
      { times: [0, 60_000, 120_000], values: [3, 3, 2], entities: {} },
      { times: [0, 60_000, 120_000], values: [-0.25, -0.25, -0.25], entities: {} },
    ]);
    expect(unpackSamples(packed(1, 2, 2, 255, 0x71, 0x80, 0x62, 0xf0, 0x7f))).toStrictEqual([
      { times: [1, 2], values: [-0, -Infinity], entities: { NegInf: [1] } },
    ]);
  });

  it.each([
    ['in a run', [1, 2]],
    ['in a number', [1, 0x80]],
    ['in the values', [1, 2, 2, 0, 2]],
    ['in the bits of a value', [1, 2, 1, 255, 8, 1, 2]],
    ['before as many values as there are times', [1, 2, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 2]],
  ])('that end early %s are an error', (_, bytes) => {
    expect(() => unpackSamples(packed(...bytes))).toThrow('A packed frame ends early.');
  });

  it('that have more bytes than a value has are an error', () => {
    expect(() => unpackSamples(packed(1, 2, 1, 255, 0x72, 1, 2))).toThrow(RangeError);
  });
});
