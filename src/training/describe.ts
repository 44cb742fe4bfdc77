import type { TrainingHealthFormat, TrainingHealthQuery } from './query';

/** How findings are shown if not as a table. */
const FORMATS: Partial<Record<TrainingHealthFormat, string>> = {
  eta: 'estimated finish',
  number: 'numbers',
  annotations: 'annotations',
};

/** Training health in a line, for query history and folded editors: `Training health · training_loss · numbers`. */
export function describeTraining({ expr, format, ...lists }: TrainingHealthQuery): string {
  const { jobIds = [], statuses = [], models = [], metrics = [], findings = [] } = lists;
  const shown = format && FORMATS[format];
  const jobs = expr ? [] : [...jobIds, ...statuses, ...models];
  return [
    'Training health',
    expr || 'Fine-tuning jobs',
    ...(shown ? [shown] : []),
    ...jobs,
    ...metrics,
    ...findings,
  ].join(' · ');
}
