import React, { useId } from 'react';
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
  /** In the theme's spacing, as far as there is room. */
  width?: number;
}

/** One option of a query that is text or a number, with what is wrong with it beside it. */
export function TextOption({ label, tooltip, example, value, onChange, check, width = 24 }: Props) {
  const id = useId();
  const problemOf = (text: string) => (text && !hasVariable(text) ? check?.(text) : undefined);
  const input = useCommitted(value, (text) => !problemOf(text) && onChange(text));
  const error = problemOf(input.value);

  return (
    <EditorField label={label} tooltip={tooltip} htmlFor={id} invalid={Boolean(error)} error={error}>
      <Input {...input} id={id} width={width} className={narrow} placeholder={example} />
    </EditorField>
  );
}

const narrow = css({ maxWidth: '100%' });
