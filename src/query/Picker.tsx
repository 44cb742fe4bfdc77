import React, { useId } from 'react';
import { Stack, Text } from '@grafana/ui';
import { ChoiceGroup } from './ChoiceGroup';

interface Props<Value> {
  'aria-label': string;
  options: Array<{ value: Value; label: string; icon?: string; description: string }>;
  value: Value | undefined;
  onChange: (value: Value) => void;
}

/**
 * Buttons that decide which fields are below them, with what the chosen one means beside them. A tooltip would cover the
 * next row of choices.
 */
export function Picker<Value extends string>({ options, value, ...group }: Props<Value>) {
  const id = useId();
  return (
    <Stack alignItems="center" gap={1} wrap="wrap">
      {/* As wide as its choices. */}
      <div>
        <ChoiceGroup
          {...group}
          aria-describedby={id}
          options={options.map(({ description, ...option }) => option)}
          value={value}
        />
      </div>
      <span id={id}>
        <Text variant="bodySmall" color="secondary">
          {options.find((option) => option.value === value)?.description ?? ''}
        </Text>
      </span>
    </Stack>
  );
}
