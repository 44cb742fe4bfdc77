import { useState } from 'react';

interface Draft {
  /** As it is on screen: what is being typed, or the saved text. */
  text: string;
  type: (text: string) => void;
  /** Shows the saved text again. */
  end: () => void;
}

/**
 * A text while it is typed. It ends when another text is saved in its place, so it can't come back over that.
 *
 * @param value the saved text
 * @param asSaved what is saved of a typed text, for fields that save with every key: `0.` is saved as `0`
 */
export function useDraft(value: string, asSaved = (text: string) => text): Draft {
  const [draft, setDraft] = useState<{ text: string; over: string }>();
  if (draft && draft.over !== value) {
    setDraft(asSaved(draft.text) === value ? { ...draft, over: value } : undefined);
  }
  return {
    text: draft?.text ?? value,
    type: (text) => setDraft({ text, over: value }),
    end: () => setDraft(undefined),
  };
}
