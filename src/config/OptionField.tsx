import React from 'react';
import type { GpuCloudOptions } from '../types';
import { setOption, type SectionProps } from './section';
import { TextField, type TextFieldProps } from './TextField';

interface Props extends SectionProps, Omit<TextFieldProps, 'value' | 'onChange' | 'disabled'> {
  /** Where the value is saved, as a text or, with the type `number`, as a number. An empty field is not saved. */
  option: keyof GpuCloudOptions;
}

/** A field for one open setting. */
export function OptionField({ options, onOptionsChange, option, ...field }: Props) {
  const save = (text: string) => (field.type === 'number' ? Number(text) : text);
  return (
    <TextField
      {...field}
      // From a variable of a provisioning file, a number arrives as a text, and a project's id may arrive as a number.
      value={String(options.jsonData[option] ?? '')}
      disabled={options.readOnly}
      onChange={(text) => setOption({ options, onOptionsChange }, option, text === '' ? undefined : save(text))}
    />
  );
}
