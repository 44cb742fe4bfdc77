import { chosenBy } from '../saved/choices';
import type { JobFilters } from '../types';
import type { JobChoice } from './Gateway';

const OVER = new Set(['succeeded', 'failed', 'cancelled', 'canceled']);

/** Milliseconds since 1970. */
interface Span {
  from: number;
  to: number;
}

/** The newest job that fits the filters, if none that fits lived within the range; else nothing. */
export function newestJobElsewhere(jobs: JobChoice[], filters: JobFilters, range: Span): JobChoice | undefined {
  const now = Date.now();
  const hasId = chosenBy(filters.jobIds);
  const hasStatus = chosenBy(filters.statuses);
  const hasModel = chosenBy(filters.models);
  const fitting = jobs.filter((job) => hasId(job.id) && hasStatus(job.status) && hasModel(job.model));
  const lives = fitting.map((job) => ({ job, life: lifeOf(job, now) }));
  if (lives.some(({ life }) => life && life.from <= range.to && life.to >= range.from)) {
    return undefined;
  }
  const known = lives.filter(({ life }) => life !== undefined);
  known.sort((a, b) => b.life!.to - a.life!.to);
  return known[0]?.job;
}

/** From when to when a job lived, as far as it is known. */
export function lifeOf({ created, finished, status }: JobChoice, now: number): Span | undefined {
  const from = created ?? finished;
  if (from === null) {
    return undefined;
  }
  return { from, to: finished ?? (OVER.has(status.toLowerCase()) ? from : now) };
}
