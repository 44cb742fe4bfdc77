import type { RunQuery, RunSource } from './query';

/** Runs in a line, for query history and folded editors: `Runs · train_loss · by elapsed time · Fine-tuning jobs`. */
export function describeRuns(query: RunQuery): string {
  return ['Runs', ...shown(query), describeSource(query.source), ...(query.runs ?? [])].join(' · ');
}

function shown(query: RunQuery): string[] {
  switch (query.queryType) {
    case 'runs':
      return query.measures?.length ? [query.measures.join(', ')] : [];
    case 'runComparison':
      return [query.metric ?? query.expr ?? ''].filter(Boolean);
    case 'runAnnotations':
      return ['annotations'];
  }
}

function describeSource(source: RunSource): string {
  switch (source.kind) {
    case 'series':
      return source.by.length > 0 ? `${source.expr} by ${source.by.join(', ')}` : source.expr;
    case 'manual':
      return source.runs.map(({ name }) => name).join(', ');
    default:
      return 'Fine-tuning jobs';
  }
}
