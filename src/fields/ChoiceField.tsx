import React, { type ComponentProps } from 'react';
import { EditorField } from '@grafana/plugin-ui';
import { ChoiceGroup } from './ChoiceGroup';

type Props<T> = Omit<ComponentProps<typeof ChoiceGroup<T>>, 'aria-label'> & { label: string; tooltip?: string };

/** A labeled choice of one. */
export function ChoiceField<T>({ label, tooltip, ...group }: Props<T>) {
  return (
    <EditorField label={label} tooltip={tooltip}>
      <ChoiceGroup {...group} aria-label={label} />
    </EditorField>
  );
}
