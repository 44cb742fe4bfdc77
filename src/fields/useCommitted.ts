import { useState, type FormEvent, type KeyboardEvent } from 'react';

/**
 * What an input needs for a text that counts once it is finished, so that a query does not run with every key. What is typed ends
 * when another text is saved in its place, so it can't come back over that.
 *
 * @param value the saved text
 * @param tidy how a text without spaces around it is saved
 */
export function useCommitted(value: string, onCommit: (text: string) => void, tidy = (text: string) => text) {
  const [draft, setDraft] = useState<{ text: string; over: string }>();
  if (draft && draft.over !== value) {
    setDraft(undefined);
  }
  const text = draft?.text ?? value;
  const type = (typed: string) => setDraft({ text: typed, over: value });
  const commit = () => {
    const finished = tidy(text.trim());
    if (finished === value) {
      setDraft(undefined);
    } else {
      type(finished);
      onCommit(finished);
    }
  };
  return {
    value: text,
    spellCheck: false,
    autoComplete: 'off',
    onChange: ({ currentTarget }: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => type(currentTarget.value),
    onBlur: commit,
    onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && commit(),
  };
}
