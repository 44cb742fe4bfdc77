import React from 'react';
import { t } from '../i18n';
import type { GpuCloudSecrets } from '../types';
import type { SectionProps } from './section';
import { TextField, type TextFieldProps } from './TextField';
import { tidyText } from './tidy';

export interface SecretFieldProps
  extends SectionProps, Omit<TextFieldProps, 'example' | 'value' | 'onChange' | 'disabled' | 'type' | 'secret'> {
  /** Where the secret is saved. */
  secret: keyof GpuCloudSecrets;
  placeholder: string;
}

/** A credential: typed once, then shown as configured, never sent back to the browser. */
export function SecretField(props: SecretFieldProps) {
  const { options, onOptionsChange, secret, placeholder, ...field } = props;
  const provisioned = ` ${t('In the provisioning file, each $ of the value is written as $$.')}`;
  const save = (typed: string) =>
    onOptionsChange({
      ...options,
      secureJsonData: { ...options.secureJsonData, [secret]: typed },
      secureJsonFields: { ...options.secureJsonFields, [secret]: false },
    });
  return (
    <TextField
      tidy={tidyText}
      {...field}
      description={options.readOnly ? field.description + provisioned : field.description}
      example={placeholder}
      value={options.secureJsonData?.[secret] ?? ''}
      disabled={options.readOnly}
      onChange={save}
      secret={{ isConfigured: Boolean(options.secureJsonFields?.[secret]), onReset: () => save('') }}
    />
  );
}
