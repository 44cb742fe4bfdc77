import React, { useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import { css } from '@emotion/css';
import { Stack, Text } from '@grafana/ui';
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
export function Picker<Value extends string>({ options, value, onChange, ...group }: Props<Value>) {
  const id = useId();
  // Arrow keys go over choices on the way to one. It counts on Enter, on Space, or when the buttons are left.
  const isArrow = useRef(false);
  const [onTheWay, setOnTheWay] = useState<Value>();
  const chosen = onTheWay ?? value;
  const description = options.find((option) => option.value === chosen)?.description ?? '';

  const choose = (to: Value) => {
    if (isArrow.current) {
      setOnTheWay(to);
    } else {
      setOnTheWay(undefined);
      onChange(to);
    }
  };
  const onKey = ({ key }: KeyboardEvent) => {
    isArrow.current = key.startsWith('Arrow');
    if (onTheWay && ['Enter', ' ', 'Tab'].includes(key)) {
      choose(onTheWay);
    }
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (onTheWay && !currentTarget.contains(relatedTarget)) {
      setOnTheWay(undefined);
      onChange(onTheWay);
    }
  };
  const onPointerDown = () => {
    isArrow.current = false;
    // What is clicked is chosen instead.
    setOnTheWay(undefined);
  };
  return (
    <Stack alignItems="center" gap={1} minWidth={0} grow={1}>
      {/* As wide as its choices. */}
      <div onKeyDownCapture={onKey} onPointerDownCapture={onPointerDown} onBlurCapture={onBlur}>
        <ChoiceGroup
          {...group}
          aria-describedby={id}
          options={options.map(({ value: one, label }) => ({ value: one, label }))}
          value={chosen}
          onChange={choose}
        />
      </div>
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
