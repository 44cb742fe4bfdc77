import React, { type FormEvent } from 'react';
import { Field, Input, SecretInput, SecretTextArea } from '@grafana/ui';
import { useDraft } from '../fields/useDraft';
import type { FieldError } from './validation';

export interface TextFieldProps {
  id: string;
  label: string;
  /** What belongs here, in plain language. */
  description: string;
  /** A real example. */
  example: string;
  value: string;
  onChange: (value: string) => void;
  /** How a value is saved, once the field is left. */
  tidy?: (value: string) => string;
  /** Says what is wrong with a value as typed. An empty field is not checked. */
  check?: (value: string) => FieldError;
  required?: boolean;
  disabled?: boolean;
  /** `number` for a number that is typed or stepped; text otherwise. */
  type?: 'text' | 'number';
  /** What is saved is not shown, but that something is. */
  secret?: { isConfigured: boolean; onReset: () => void };
  /** Of a secret, such as a certificate. */
  isMultiline?: boolean;
}

/** A text with its help, and what is wrong with it beside it. */
export function TextField({ check, tidy, secret, isMultiline, ...props }: TextFieldProps) {
  const { id, value, onChange, example: placeholder, required } = props;
  const isNumber = props.type === 'number';
  const draft = useDraft(value, (text) => (isNumber && text !== '' ? String(Number(text)) : text));
  const error = value === '' ? undefined : check?.(value);

  const input = {
    id,
    placeholder,
    value: draft.text,
    spellCheck: false,
    autoComplete: 'off',
    onChange: ({ currentTarget }: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      draft.type(currentTarget.value);
      onChange(currentTarget.value);
    },
    onBlur: () => {
      draft.end();
      const tidied = tidy?.(value) ?? value;
      if (tidied !== value) {
        onChange(tidied);
      }
    },
  };
  return (
    <Field
      label={props.label}
      description={props.description}
      required={required}
      invalid={error !== undefined}
      error={error}
      disabled={props.disabled}
      noMargin={false}
    >
      {!secret ? (
        <Input {...input} type={props.type ?? 'text'} step={isNumber ? 'any' : undefined} required={required} />
      ) : isMultiline ? (
        <SecretTextArea {...input} {...secret} rows={4} />
      ) : (
        <SecretInput {...input} {...secret} />
      )}
    </Field>
  );
}
