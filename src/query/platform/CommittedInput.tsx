import React, { type ComponentProps } from 'react';
import { Input } from '@grafana/ui';
import { useDraft } from './useDraft';

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
  const [text, setText] = useDraft(value);

  const commit = () => {
    onLeave?.();
    const finished = text.trim();
    setText(finished);
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
        setText(event.currentTarget.value);
        onType?.(event.currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
