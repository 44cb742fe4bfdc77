import useAsync from 'react-use/lib/useAsync';

/** A list for the options of a field. It has no items while it is loading, and when it can't be loaded. */
interface List<Item> {
  items: Item[];
  loading: boolean;
  /** Why it can't be loaded, in a sentence for the user. */
  error?: string;
}

/**
 * Loads a list when an editor shows it.
 *
 * @param load must stay the same between renders; it rejects with a sentence for the user
 */
export function useList<Item>(load: () => Promise<Item[]>): List<Item> {
  const { value, loading, error } = useAsync(load, [load]);
  return { items: value ?? NONE, loading, error: error?.message };
}

/** The same list for each render, so that what is made of it is made once. */
const NONE: never[] = [];
