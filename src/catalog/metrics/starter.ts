import { quantity, type QuantityName, type Scope } from '../quantities.ts';
import { NEUTRAL_PREFIX } from './naming.ts';

const select: Scope['select'] = (metric, ...matchers) =>
  matchers.length > 0 ? `${metric}{${matchers.join(', ')}}` : metric;

/** Everything there is, as a query to start with has it: without variables, and with names that are known. */
const ALL: Scope = {
  over: (fn, metric, window, ...matchers) => `${fn}(${select(metric, ...matchers)}[${window}])`,
  select,
  ago: (metric, window, offset) => `last_over_time(${metric}[${window}] offset ${offset})`,
  after: (metric, time, offset) => `last_over_time((${metric} offset -${time})[15m:5m] offset ${offset})`,
  node: 'cluster_id, instance',
  vendor: (name) => `${NEUTRAL_PREFIX}${name}`,
  throttledIn: '1e9',
};

/** PromQL of a quantity that dashboards show, too, by the labels given: the same question has the same number everywhere. */
export const shown = (name: QuantityName, by: string, window?: string): string => quantity(name, ALL, by, window);
