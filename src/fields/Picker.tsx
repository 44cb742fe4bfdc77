import React, { useId, useState } from 'react';
import { css } from '@emotion/css';
import { Stack, Text } from '@grafana/ui';
import { t } from '../i18n';
import { ChoiceGroup } from './ChoiceGroup';

interface Props<Value> {
  'aria-label': string;
  options: Array<{ value: Value; label: string; description: string }>;
  value: Value | undefined;
  onChange: (value: Value) => void;
  size?: 'sm' | 'md';
}

/**
 * Buttons that decide which fields are below them, with what the chosen one means beside them, as far as there is room: so no
 * choice changes the height of its row. A tooltip would cover the next row of choices.
 */
export function Picker<Value extends string>({ options, value, ...group }: Props<Value>) {
  const id = useId();
  const [onTheWay, setOnTheWay] = useState<Value>();
  const meaning = options.find((option) => option.value === (onTheWay ?? value))?.description;
  const description = meaning ? t(meaning) : '';
  return (
    <Stack alignItems="center" gap={1} minWidth={0} grow={1}>
      <ChoiceGroup
        {...group}
        aria-describedby={id}
        options={options.map(({ value: one, label }) => ({ value: one, label }))}
        value={value}
        onTheWay={setOnTheWay}
      />
      <span id={id} className={shortened} title={description}>
        <Text variant="bodySmall" color="secondary">
          {description}
        </Text>
      </span>
    </Stack>
  );
}

const shortened = css({
  flex: '1 1 0',
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
});
