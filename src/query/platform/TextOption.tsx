import React, { useId, useState } from 'react';
import { css } from '@emotion/css';
import { EditorField } from '@grafana/plugin-ui';
import { CommittedInput } from './CommittedInput';
import { useDraft } from './useDraft';

interface Props {
  label: string;
  tooltip?: string;
  /** A real example, or what a missing value means. */
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  /** Says what is wrong with a text. */
  check?: (text: string) => string | undefined;
  type?: 'text' | 'number';
  /** In the theme's spacing, as far as there is room. */
  width?: number;
}

/** One option of a query that is text or a number, with what is wrong with it beside it. */
export function TextOption({ label, tooltip, placeholder, value, onChange, check, type = 'text', width = 24 }: Props) {
  const id = useId();
  const [text, setText] = useDraft(value);
  // What is still to be filled in is no mistake.
  const [isTouched, setIsTouched] = useState(false);
  const error = isTouched || text ? check?.(text) : undefined;

  return (
    <EditorField label={label} tooltip={tooltip} htmlFor={id} invalid={Boolean(error)} error={error}>
      <CommittedInput
        id={id}
        type={type}
        width={width}
        className={narrow}
        min={type === 'number' ? 1 : undefined}
        value={value}
        placeholder={placeholder}
        onType={setText}
        onLeave={() => setIsTouched(true)}
        onCommit={onChange}
      />
    </EditorField>
  );
}

const narrow = css({ maxWidth: '100%' });
