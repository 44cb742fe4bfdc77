import React, { createContext, useContext, useState, type ComponentType } from 'react';

const Drafts = createContext(new Map<string, unknown>());

/** An editor in which choices keep what was written before they were changed, for those who change them back. */
export function withDrafts<Props extends object>(Editor: ComponentType<Props>): ComponentType<Props> {
  return function EditorWithDrafts(props: Props) {
    const [drafts] = useState(() => new Map<string, unknown>());
    return (
      <Drafts.Provider value={drafts}>
        <Editor {...props} />
      </Drafts.Provider>
    );
  };
}

/**
 * Leaves what was written for one choice, and returns what was left of another: nothing if it is chosen for the first time.
 *
 * @param choice what is chosen, such as "kind of source"
 */
export function useDrafts<Draft>(choice: string) {
  const drafts = useContext(Drafts);
  return (from: string, written: Draft, to: string): Draft | undefined => {
    drafts.set(`${choice}: ${from}`, written);
    return drafts.get(`${choice}: ${to}`) as Draft | undefined;
  };
}
