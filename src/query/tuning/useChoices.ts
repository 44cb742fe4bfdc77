import { useEffect, useState } from 'react';

/** A list from the gateway: there, on its way, or not to be had, with a sentence that says why. */
export interface Choices<Item> {
  items: Item[];
  loading: boolean;
  error?: string;
}

/**
 * Loads a list when an editor shows it.
 *
 * @param load must stay the same between renders; it rejects with a sentence for the user
 */
export function useChoices<Item>(load: () => Promise<Item[]>): Choices<Item> {
  const [choices, setChoices] = useState<Choices<Item>>({ items: [], loading: true });

  useEffect(() => {
    let shown = true;
    const show = (next: Choices<Item>) => shown && setChoices(next);
    load().then(
      (items) => show({ items, loading: false }),
      (error: Error) => show({ items: [], loading: false, error: error.message })
    );
    return () => {
      shown = false;
    };
  }, [load]);

  return choices;
}
