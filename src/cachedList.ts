import { isFetchError } from '@grafana/runtime';

/** For so long a list is not asked for again, so that the fields of an editor share one request. */
const FRESH_MS = 10_000;

/** Shares what `load` answers for a while. A list that fails rejects with a sentence for the user, and is not kept. */
export function cachedList<Item>(load: () => Promise<Item[]>): () => Promise<Item[]> {
  let latest: { answer: Promise<Item[]>; since: number } | undefined;
  return () => {
    if (!latest || Date.now() - latest.since > FRESH_MS) {
      const answer = load().catch((error: unknown) => {
        latest = undefined;
        throw new Error(sentence(error));
      });
      latest = { answer, since: Date.now() };
    }
    return latest.answer;
  };
}

function sentence(error: unknown): string {
  if (isFetchError<{ message?: string } | undefined>(error) && error.data?.message) {
    return error.data.message;
  }
  return error instanceof Error && error.message ? error.message : 'The list could not be loaded.';
}
