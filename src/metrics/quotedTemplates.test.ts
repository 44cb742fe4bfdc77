import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { MetricsQuery } from '../types';

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
