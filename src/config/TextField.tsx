import React from 'react';
import { Field, Input } from '@grafana/ui';
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
}

/** One line of text with its help, and what is wrong with it beside it. */
export function TextField({ check, ...props }: TextFieldProps) {
  const isNumber = props.type === 'number';
  const draft = useDraft(props.value, (text) => (isNumber && text !== '' ? String(Number(text)) : text));
  const error = props.value === '' ? undefined : check?.(props.value);

  return (
    <Field
      label={props.label}
      description={props.description}
      required={props.required}
      invalid={error !== undefined}
      error={error}
      disabled={props.disabled}
      noMargin={false}
    >
      <Input
        id={props.id}
        type={props.type ?? 'text'}
        step={isNumber ? 'any' : undefined}
        value={draft.text}
        placeholder={props.example}
        required={props.required}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          draft.type(event.currentTarget.value);
          props.onChange(event.currentTarget.value);
        }}
        onBlur={() => {
          draft.end();
          const tidied = props.tidy?.(props.value) ?? props.value;
          if (tidied !== props.value) {
            props.onChange(tidied);
          }
        }}
      />
    </Field>
  );
}
