import React, { useRef, useState, type ComponentProps, type FocusEvent, type KeyboardEvent } from 'react';
import { css } from '@emotion/css';
import { RadioButtonGroup } from '@grafana/ui';
import { translated } from '../i18n';

type Props<Value> = Omit<ComponentProps<typeof RadioButtonGroup<Value>>, 'className' | 'onChange'> & {
  onChange: (value: Value) => void;
  /** Called with the choice that arrow keys are on the way over, and with nothing at the end of the way. */
  onTheWay?: (value: Value | undefined) => void;
};

/**
 * Buttons of which one is chosen, in as many rows as a narrow window needs.
 *
 * Arrow keys go over choices on the way to one. It counts on Enter, on Space, or when the buttons are left, so that no query runs
 * for each key.
 */
export function ChoiceGroup<Value>({ value, onChange, onTheWay, options, ...group }: Props<Value>) {
  const isArrow = useRef(false);
  const [passing, setPassing] = useState<Value>();

  const pass = (over?: Value) => {
    setPassing(over);
    onTheWay?.(over);
  };
  const finish = (at?: Value) => {
    pass(undefined);
    if (at !== undefined) {
      onChange(at);
    }
  };
  const choose = (to: Value) => (isArrow.current ? pass(to) : finish(to));
  const onKey = ({ key }: KeyboardEvent) => {
    isArrow.current = key.startsWith('Arrow');
    if (['Enter', ' ', 'Tab'].includes(key)) {
      finish(passing);
    }
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) {
      finish(passing);
    }
  };
  const onPointerDown = () => {
    isArrow.current = false;
    // What is clicked is chosen instead.
    finish();
  };
  return (
    <div onKeyDownCapture={onKey} onPointerDownCapture={onPointerDown} onBlurCapture={onBlur}>
      <RadioButtonGroup
        {...group}
        options={options.map(translated)}
        className={wrapping}
        value={passing ?? value}
        onChange={choose}
      />
    </div>
  );
}

const wrapping = css({ flexWrap: 'wrap', maxWidth: '100%' });
