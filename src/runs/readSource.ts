import { isPlainObject, mapValues } from 'lodash';
import { rows, text, texts } from '../saved/readers';
import type { RunSource, SourceKind } from './query';

type Readers<Source extends RunSource> = Record<Exclude<keyof Source, 'kind'>, (value: unknown) => unknown>;

const READ: { [Kind in SourceKind]: Readers<Extract<RunSource, { kind: Kind }>> } = {
  fineTuning: { statuses: texts, models: texts, jobIds: texts },
  series: { expr: (value) => text(value) ?? '', by: (value) => texts(value) ?? [], maxGap: text },
  manual: { runs: (value) => rows(value, { name: '', from: '', to: '' }) ?? [] },
};

/** What each kind of source needs to be complete enough for its fields. */
export const BLANK_SOURCES: { [Kind in SourceKind]: Extract<RunSource, { kind: Kind }> } = {
  fineTuning: { kind: 'fineTuning' },
  series: { kind: 'series', expr: '', by: [] },
  manual: { kind: 'manual', runs: [] },
};

const isSourceKind = (kind: unknown): kind is SourceKind =>
  typeof kind === 'string' && Object.hasOwn(BLANK_SOURCES, kind);

/** A saved source of runs. A missing one is all fine-tuning jobs; one of a kind that a later version brought stays as it is. */
export function readSource(saved: unknown): RunSource {
  if (!isPlainObject(saved)) {
    return isSourceKind(saved) ? BLANK_SOURCES[saved] : BLANK_SOURCES.fineTuning;
  }
  const { kind = 'fineTuning', ...options } = saved as Record<string, unknown>;
  if (!isSourceKind(kind)) {
    return saved as RunSource;
  }
  const readers: Record<string, (value: unknown) => unknown> = READ[kind];
  const read = mapValues(options, (value, option) => (Object.hasOwn(readers, option) ? readers[option](value) : value));
  return { ...BLANK_SOURCES[kind], ...read } as RunSource;
}
