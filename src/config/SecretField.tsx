import React, { type FormEvent } from 'react';
import { Field, SecretInput, SecretTextArea } from '@grafana/ui';
import { t } from '../i18n';
import type { GpuCloudSecrets } from '../types';
import type { SectionProps } from './section';
import { tidyText, tidyToken } from './tidy';
import type { FieldError } from './validation';

export interface SecretFieldProps extends SectionProps {
  id: string;
  /** Where the secret is saved. */
  secret: keyof GpuCloudSecrets;
  label: string;
  description: string;
  placeholder: string;
  /** Says what is wrong with what is typed. */
  check?: (value: string) => FieldError;
  /** A bearer credential. */
  isToken?: boolean;
  required?: boolean;
  /** A text of several lines, such as a certificate. */
  multiline?: boolean;
}

/** A credential: typed once, then shown as configured, never sent back to the browser. */
export function SecretField({
  options,
  onOptionsChange,
  id,
  secret,
  check,
  isToken,
  multiline,
  ...field
}: SecretFieldProps) {
  const value = options.secureJsonData?.[secret] ?? '';
  const description = options.readOnly
    ? `${field.description} ${t('In the provisioning file, each $ of the value is written as $$.')}`
    : field.description;
  const configured = Boolean(options.secureJsonFields?.[secret]);
  const error = check?.(value);

  const save = (typed: string, isConfigured: boolean) =>
    onOptionsChange({
      ...options,
      secureJsonData: { ...options.secureJsonData, [secret]: typed },
      secureJsonFields: { ...options.secureJsonFields, [secret]: isConfigured },
    });

  const input = {
    id,
    value,
    placeholder: field.placeholder,
    isConfigured: configured,
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => save(event.currentTarget.value, false),
    onReset: () => save('', false),
    onBlur: () => {
      const tidied = isToken ? tidyToken(value) : tidyText(value);
      if (value !== tidied) {
        save(tidied, false);
      }
    },
  };

  return (
    <Field
      label={field.label}
      description={description}
      required={field.required}
      invalid={error !== undefined}
      error={error}
      disabled={options.readOnly}
      noMargin={false}
    >
      {multiline ? <SecretTextArea {...input} rows={4} /> : <SecretInput {...input} />}
    </Field>
  );
}
