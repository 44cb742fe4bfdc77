import { useState } from 'react';

/** A text as it is typed, until it is replaced by another saved one. */
export function useDraft(value: string): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState({ text: value, of: value });
  return [draft.of === value ? draft.text : value, (text) => setDraft({ text, of: value })];
}
