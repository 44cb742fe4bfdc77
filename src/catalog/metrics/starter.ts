import { QUANTITIES, quantity, type QuantityName, type Scope } from '../quantities.ts';
import { NEUTRAL_PREFIX } from './naming.ts';
import type { StarterQuery } from './types.ts';

const select: Scope['select'] = (metric, ...matchers) =>
  matchers.length > 0 ? `${metric}{${matchers.join(', ')}}` : metric;

/** Everything there is, as a query to start with has it: without variables, and with names that are known. */
const ALL: Scope = {
  over: (fn, metric, window, ...matchers) => `${fn}(${select(metric, ...matchers)}[${window}])`,
  select,
  ago: (metric, window, offset, fn = 'last_over_time') => `${fn}(${metric}[${window}] offset ${offset})`,
  after: (metric, time, offset) => `last_over_time((${metric} offset -${time})[15m:5m] offset ${offset})`,
  node: 'cluster_id, instance',
  vendor: (name) => `${NEUTRAL_PREFIX}${name}`,
};

/** A query to start with that is a quantity of dashboards, by the labels given: the same question has the same number everywhere. */
export function shown(name: string, of: QuantityName, by = ''): StarterQuery {
  const { title, meaning, unit } = QUANTITIES[of];
  const expr = quantity(of, ALL, by);
  return {
    name,
    description: `${meaning}.`,
    // A rate takes two samples of each step.
    expr: expr.includes('rate(') ? quantity(of, ALL, by, '$__rate_interval') : expr,
    legend: by ? by.replace(/\w+/g, '{{$&}}').replaceAll(',', '') : title,
    unit,
  };
}
