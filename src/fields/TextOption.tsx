import React, { useId, useState } from 'react';
import { css } from '@emotion/css';
import { EditorField } from '@grafana/plugin-ui';
import { Input } from '@grafana/ui';
import { useCommitted } from './useCommitted';

interface Props {
  label: string;
  tooltip?: string;
  /** A real example, or what a missing value means. */
  example: string;
  value: string;
  onChange: (text: string) => void;
  /** Says what is wrong with a text. */
  check?: (text: string) => string | undefined;
  /** In the theme's spacing, as far as there is room. */
  width?: number;
}

/** One option of a query that is text or a number, with what is wrong with it beside it. */
export function TextOption({ label, tooltip, example, value, onChange, check, width = 24 }: Props) {
  const id = useId();
  const input = useCommitted(value, onChange);
  // What is still to be filled in is no mistake.
  const [isTouched, setIsTouched] = useState(false);
  const error = isTouched || input.value ? check?.(input.value) : undefined;

  return (
    <EditorField label={label} tooltip={tooltip} htmlFor={id} invalid={Boolean(error)} error={error}>
      <Input
        {...input}
        id={id}
        width={width}
        className={narrow}
        placeholder={example}
        onBlur={() => {
          setIsTouched(true);
          input.onBlur();
        }}
      />
    </EditorField>
  );
}

const narrow = css({ maxWidth: '100%' });
