import React, { useState, type ComponentProps } from 'react';
import { Input } from '@grafana/ui';

type Props = Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'onBlur' | 'onKeyDown' | 'ref' | 'css'> & {
  value: string;
  /** Called with the text when the field is left, and on Enter, so that a query does not run with every key. */
  onCommit: (text: string) => void;
  /** Called when the field is left, and on Enter, even if its text is the same. */
  onLeave?: () => void;
  /** Called with every key. */
  onType?: (text: string) => void;
};

/** A text that counts once it is finished. */
export function CommittedInput({ value, onCommit, onLeave, onType, ...input }: Props) {
  const [draft, setDraft] = useState({ text: value, of: value });
  const text = draft.of === value ? draft.text : value;

  const commit = () => {
    onLeave?.();
    const finished = text.trim();
    setDraft({ text: finished, of: value });
    if (finished !== value) {
      onCommit(finished);
    }
  };
  return (
    <Input
      {...input}
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => {
        setDraft({ text: event.currentTarget.value, of: value });
        onType?.(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
