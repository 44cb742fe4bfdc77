import type { RunQuery, RunSource } from './query';

/** What a query about runs still lacks, in a sentence; nothing if it can be run. */
export function runProblem(query: RunQuery): string | undefined {
  return sourceProblem(query.source) ?? (lacksExpression(query) ? EXPRESSION_MISSING : undefined);
}

/** What a row of a query that can be run still lacks, in a sentence. The backend has a sentence for it, too. */
export function rowProblem(query: RunQuery): string | undefined {
  const run = query.source.kind === 'manual' && query.source.runs.find(({ from }) => !from);
  if (run) {
    return `Enter when the run ${run.name} began, such as 2026-03-01T08:00:00Z or now-1d.`;
  }
  const measure = query.queryType === 'runs' && query.custom?.find(({ expr }) => !expr);
  return measure ? `Enter the PromQL of the measure ${measure.name}.` : undefined;
}

/** What a source of runs still lacks, in a sentence; nothing if it can be queried. */
export function sourceProblem(source: RunSource): string | undefined {
  switch (source.kind) {
    case 'series':
      if (!source.expr.trim()) {
        return 'Enter the series whose label sets are runs, such as training_loss{metrics_source="custom-metrics"}.';
      }
      return source.by.length > 0 ? undefined : 'Enter the labels that distinguish runs, such as pod_name.';
    case 'manual':
      return source.runs.some(({ name, from }) => name && from)
        ? undefined
        : 'Add a run: its name, when it began and when it ended.';
    default:
      return undefined;
  }
}

const EXPRESSION_MISSING = 'Enter what to compare, such as avg(DCGM_FI_DEV_GPU_UTIL{$selector}).';

/** Series have an expression of their own. */
const lacksExpression = (query: RunQuery): boolean =>
  query.queryType === 'runComparison' && query.source.kind !== 'series' && !query.expr && !query.metric;
