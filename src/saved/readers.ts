import { isPlainObject, mapValues } from 'lodash';

// Readers of options that people who write queries by hand, and provisioning, save in more than one form. What has no meaning
// where it stands reads as missing.

/** A text, or a number or a boolean that stands for one. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** A single entry may be saved without a list around it. */
export function texts(value: unknown): string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  const read = list.map(text).filter((entry) => entry !== undefined);
  return Array.isArray(value) || read.length > 0 ? read : undefined;
}

/** A number, also one that was saved as a text, or the dashboard variable that has it. */
export const number = (value: unknown): unknown =>
  typeof value === 'string' ? Number(value) || (hasVariable(value) ? value : undefined) : value;

/** Whether a text has a dashboard variable in it. */
export const hasVariable = (value: string): boolean => /\$\w|\$\{|\[\[/.test(value);

/** Objects whose members are texts, as far as they have one; `required` fills in those that have to be there. */
export function rows(
  value: unknown,
  required: Record<string, string>
): Array<Record<string, string | undefined>> | undefined {
  return Array.isArray(value)
    ? value.filter(isPlainObject).map((row) => ({ ...required, ...mapValues(row, text) }))
    : undefined;
}
