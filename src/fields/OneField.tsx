import React, { useId } from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { getTemplateSrv } from '@grafana/runtime';
import { Combobox, type ComboboxOption } from '@grafana/ui';

interface Props {
  label: string;
  /** What a choice is, in the singular: "run". */
  itemLabel: string;
  tooltip?: string;
  /** What no choice means. */
  placeholder: string;
  options: ComboboxOption[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A choice of one, if any: from a list, dashboard variables, or typed. */
export function OneField({ label, itemLabel, tooltip, options, value, onChange, placeholder }: Props) {
  const id = useId();
  const variables = getTemplateSrv()
    .getVariables()
    .map(({ name }) => ({ value: `$${name}`, description: 'Dashboard variable' }));
  return (
    <EditorField label={label} htmlFor={id} optional tooltip={tooltip} width={30}>
      <Combobox
        id={id}
        isClearable
        createCustomValue
        customValueDescription={`Use as a ${itemLabel} or a variable`}
        placeholder={placeholder}
        options={[...options, ...variables]}
        value={value ?? null}
        onChange={(chosen) => onChange(chosen?.value)}
      />
    </EditorField>
  );
}
