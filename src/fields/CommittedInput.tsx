import React, { type ComponentProps, type FormEvent, type KeyboardEvent } from 'react';
import { FieldValidationMessage, Input } from '@grafana/ui';
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

type Props = Omit<ComponentProps<typeof Input>, keyof ReturnType<typeof useCommitted> | 'ref' | 'css'> & {
  value: string;
  /** Called with the text when the field is left, and on Enter. */
  onCommit: (text: string) => void;
  /** What is wrong with the text. */
  error?: string;
};

/** A text that counts once it is finished. */
export function CommittedInput({ value, onCommit, error, ...input }: Props) {
  return (
    <>
      <Input {...input} {...useCommitted(value, onCommit)} invalid={Boolean(error)} />
      {error && <FieldValidationMessage>{error}</FieldValidationMessage>}
    </>
  );
}
