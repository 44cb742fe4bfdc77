import React, { useId } from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { Combobox, type ComboboxOption } from '@grafana/ui';
import { t } from '../i18n';
import { variableOptions } from './ChoicesField';

interface Props {
  label: string;
  tooltip?: string;
  optional?: boolean;
  /** What no choice means. */
  placeholder: string;
  options: ComboboxOption[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A choice of one, if any: from a list, dashboard variables, or typed. */
export function OneField({ label, tooltip, optional, options, value, onChange, placeholder }: Props) {
  const id = useId();
  return (
    <EditorField label={label} htmlFor={id} optional={optional} tooltip={tooltip} width={30}>
      <Combobox
        id={id}
        isClearable
        createCustomValue
        customValueDescription={t('Use as it is typed')}
        placeholder={placeholder}
        options={[...options, ...variableOptions()]}
        value={value ?? null}
        onChange={(chosen) => onChange(chosen?.value)}
      />
    </EditorField>
  );
}
