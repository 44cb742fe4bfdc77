import React, { useId } from 'react';
import { getTemplateSrv } from '@grafana/runtime';
import { EditorField } from '@grafana/plugin-ui';
import { Combobox, type ComboboxOption } from '@grafana/ui';

interface Props {
  /** The runs found. */
  options: ComboboxOption[];
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** The run that the others are compared to. */
export function BaselineField({ options, value, onChange }: Props) {
  const id = useId();
  const variables = getTemplateSrv()
    .getVariables()
    .map(({ name }) => ({ value: `$${name}`, description: 'Dashboard variable' }));
  return (
    <EditorField
      label="Baseline"
      htmlFor={id}
      optional
      tooltip="The run that the others are compared to. May be a dashboard variable such as $baseline."
      width={26}
    >
      <Combobox
        id={id}
        isClearable
        createCustomValue
        customValueDescription="Use as the id of a run or a variable"
        placeholder="None"
        options={[...options, ...variables]}
        value={value ?? null}
        onChange={(chosen) => onChange(chosen?.value)}
      />
    </EditorField>
  );
}
