import type { FormEvent, KeyboardEvent } from 'react';
import { useDraft } from './useDraft';

/** What an input needs for a text that counts once it is finished, so that a query does not run with every key. */
export function useCommitted(value: string, onCommit: (text: string) => void) {
  const { text, type, end } = useDraft(value);
  const commit = () => {
    const finished = text.trim();
    if (finished === value) {
      end();
    } else {
      type(finished);
      onCommit(finished);
    }
  };
  return {
    value: text,
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: FormEvent<HTMLInputElement>) => type(event.currentTarget.value),
    onBlur: commit,
    onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && commit(),
  };
}
