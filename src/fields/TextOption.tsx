import React, { useId, useState } from 'react';
import { css } from '@emotion/css';
import { EditorField } from '@grafana/plugin-ui';
import { Input } from '@grafana/ui';
import { hasVariable } from '../saved/readers';
import { useCommitted } from './useCommitted';

interface Props {
  label: string;
  tooltip?: string;
  /** A real example, or what a missing value means. */
  example: string;
  value: string;
  onChange: (text: string) => void;
  /** Says what is wrong with a text, unless it has a dashboard variable. Such a text stays on screen, and is not saved. */
  check?: (text: string) => string | undefined;
  /** What is wrong with an empty one, once the field was left: what is still to be filled in is no mistake. */
  required?: string;
  /** In the theme's spacing, as far as there is room. */
  width?: number;
}

/** One option of a query that is text or a number, with what is wrong with it beside it. */
export function TextOption({ label, tooltip, example, value, onChange, check, required, width = 24 }: Props) {
  const id = useId();
  const problemOf = (text: string) => (text && !hasVariable(text) ? check?.(text) : undefined);
  const input = useCommitted(value, (text) => !problemOf(text) && onChange(text));
  const [isTouched, setIsTouched] = useState(false);
  const error = input.value || !isTouched ? problemOf(input.value) : required;

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
