import { QUERY_TYPES, selectsJobs } from '../queryTypes';
import type { FineTuningQuery, JobsFormat } from '../types';

/** How jobs are shown if not as a table. */
const FORMATS: Partial<Record<JobsFormat, string>> = {
  results: 'results',
  timeline: 'over time',
  count: 'count',
  countByJob: 'count by job',
  overdue: 'overdue',
};

/** The options of a query that are no lists. */
function otherOptions(query: FineTuningQuery): string[] {
  if (query.queryType === 'fineTuningCurves') {
    return query.xAxis === 'step' ? ['by step'] : [];
  }
  if (query.queryType !== 'fineTuningJobs') {
    return [];
  }
  const format = query.format && FORMATS[query.format];
  return [...(format ? [format] : []), ...(query.onlyInRange === false ? ['at any time'] : [])];
}

/** A query in a line, for query history and folded editors: `Fine-tuning jobs · over time · failed, cancelled`. */
export function describe(query: FineTuningQuery): string {
  const { label } = QUERY_TYPES[query.queryType];
  const chosen = Object.values(query)
    .filter((option): option is string[] => Array.isArray(option) && option.length > 0)
    .map((list) => list.join(', '));
  return [selectsJobs(query) ? `Fine-tuning ${label.toLowerCase()}` : label, ...otherOptions(query), ...chosen].join(
    ' · '
  );
}
