import type { FineTuningQuery, FineTuningType } from '../types';

/** The types in the words of the editor. */
export const TYPE_NAMES: Record<FineTuningType, string> = {
  fineTuningJobs: 'Jobs',
  fineTuningCheckpoints: 'Checkpoints',
  fineTuningCurves: 'Curves',
  fineTuningEvents: 'Events',
  trainingFiles: 'Training files',
  fineTuningAnnotations: 'Annotations',
};

/** A query in a line, for query history and folded editors: `Fine-tuning jobs · failed, cancelled`. */
export function describe(query: FineTuningQuery): string {
  const name = TYPE_NAMES[query.queryType].toLowerCase();
  const chosen = Object.values(query)
    .filter((option): option is string[] => Array.isArray(option) && option.length > 0)
    .map((list) => list.join(', '));
  return [query.queryType === 'trainingFiles' ? TYPE_NAMES.trainingFiles : `Fine-tuning ${name}`, ...chosen].join(
    ' · '
  );
}
