import React from 'react';
import { Field, Input, SecretInput, SecretTextArea } from '@grafana/ui';
import { useCommitted } from '../fields/useCommitted';
import type { FieldError } from './validation';

export interface TextFieldProps {
  id: string;
  label: string;
  /** What belongs here, in plain language. */
  description: string;
  example: string;
  value: string;
  onChange: (value: string) => void;
  /** How a value without spaces around it is saved. */
  tidy?: (value: string) => string;
  /** Says what is wrong with a value as typed. An empty field is not checked. */
  check?: (value: string) => FieldError;
  required?: boolean;
  disabled?: boolean;
  /** Text if it is missing. */
  type?: 'number';
  /** What is saved is not shown, but that something is. */
  secret?: { isConfigured: boolean; onReset: () => void };
  /** Of a secret, such as a certificate. */
  isMultiline?: boolean;
}

/** A text with its help, and what is wrong with it beside it. */
export function TextField({ check, tidy, secret, isMultiline, value, onChange, example, ...props }: TextFieldProps) {
  const { id, required } = props;
  const input = { ...useCommitted(value, onChange, tidy), id, placeholder: example };
  const error = input.value === '' ? undefined : check?.(input.value);
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
        <Input {...input} type={props.type} step={props.type && 'any'} required={required} />
      ) : isMultiline ? (
        <SecretTextArea {...input} {...secret} rows={4} onKeyDown={undefined} />
      ) : (
        <SecretInput {...input} {...secret} />
      )}
    </Field>
  );
}
