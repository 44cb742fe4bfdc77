import { cloneDeep } from 'lodash';
import { lastValueFrom } from 'rxjs';
import type { DataFrame } from '@grafana/data';
import { createDataSource, fakeGrafana, panelRequest, promql } from '../testing/grafana';
import type { MetricsQuery } from '../types';
// Written by the backend's test TestPack.
import responses from './testdata/packedFrames.json';

function sent(expr: string, value: string) {
  fakeGrafana(undefined, { v: value });
  return createDataSource().applyTemplateVariables({ refId: 'A', expr } as MetricsQuery, {}) as MetricsQuery;
}

describe('a value of a variable in PromQL', () => {
  it.each([
    [`up{a="$v"}`, `x"} or up{b="y`, `up{a="x\\"} or up{b=\\"y"}`],
    [`up{a='$v'}`, `x'} or up{b='y`, `up{a='x\\'} or up{b=\\'y'}`],
    ['up{a=`$v`}', 'x`} or up{b=`y', 'up{a=`x } or up{b= y`}'],
    [`up{a="$v"}`, `it's`, `up{a="it's"}`],
    [`up{a='$v'}`, `say "x"`, `up{a='say "x"'}`],
    [`up{a="\\"$v", b="$v"}`, `"`, `up{a="\\"\\"", b="\\""}`],
    [`up{a="$v"}`, 'x\ny', `up{a="x\\ny"}`],
    ['up # $v\n', 'x\n or vector(1)', 'up # x  or vector(1)\n'],
    [`up{a="$v"}`, 'x\\', `up{a="x\\\\"}`],
    [`up{a="$v"}`, '\\"', `up{a="\\\\\\""}`],
  ])('%s with %s does not end the text that it is in', (expr, value, expected) => {
    expect(sent(expr, value).expr).toBe(expected);
  });

  it('is what the author lets it be outside of quotes', () => {
    expect(sent('up{$v}', `a="b"`).expr).toBe('up{a="b"}');
    expect(sent('${v:raw}', `up{a="b"}`).expr).toBe('up{a="b"}');
  });
});

/** The frames of a panel for those of a response. */
async function framesOf(frames: unknown): Promise<DataFrame[]> {
  // Grafana changes a response when it reads it.
  fakeGrafana(() => ({ results: { A: { frames: cloneDeep(frames) } } }));
  const response = await lastValueFrom(createDataSource().query(panelRequest([promql({})])));
  return response.data;
}

const labelNames = ({ fields }: DataFrame) => fields.map(({ labels }) => Object.keys(labels ?? {}));

describe('packed frames', () => {
  it.each(responses)('become those of each series: $name', async ({ each, packed }) => {
    const frames = await framesOf(packed);
    const expected = await framesOf(each);

    expect(frames).toStrictEqual(expected);
    // Transformations make columns of labels in this order.
    expect(frames.map(labelNames)).toEqual(expected.map(labelNames));
  });

  it('share the array of their times where the series have the same', async () => {
    const { packed } = responses.find(({ name }) => name === 'the same times')!;

    const [first, second, third] = await framesOf(packed);

    expect(second.fields[0].values).toBe(first.fields[0].values);
    expect(third.fields[0].values).toBe(first.fields[0].values);
    expect(third.fields[0].config).not.toBe(first.fields[0].config);
  });

  it('are requested, but not saved', async () => {
    const { requests } = fakeGrafana();
    const query = promql({ expr: 'up' });

    await lastValueFrom(createDataSource().query(panelRequest([query])));

    expect(requests[0].data.queries[0].packed).toBe(true);
    expect(query).not.toHaveProperty('packed');
  });

  it('are not requested by alert rules and expressions', () => {
    const [query] = createDataSource().interpolateVariablesInQueries([promql({ expr: 'up' })], {});

    expect(query).not.toHaveProperty('packed');
  });
});
