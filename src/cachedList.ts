import { errorMessage } from './responseErrors';

/** How long a list is used without a new request, so that the fields of an editor share one. */
const FRESH_MS = 10_000;

/** Caches the result of `load` for a while. A failure rejects with a sentence for the user, and is not cached. */
export function cachedList<Item>(load: () => Promise<Item[]>): () => Promise<Item[]> {
  let latest: { list: Promise<Item[]>; since: number } | undefined;
  return () => {
    if (!latest || Date.now() - latest.since > FRESH_MS) {
      const list = load().catch((error: unknown) => {
        latest = undefined;
        throw new Error(errorMessage(error));
      });
      latest = { list, since: Date.now() };
    }
    return latest.list;
  };
}
