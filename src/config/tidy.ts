/** A value as it is saved: what is pasted often has spaces or a line break around it. */
export const tidyText = (value: string): string => value.trim();

/** A bearer credential as it is saved: `Bearer`, which is added to every request, may have been copied with it. */
export const tidyToken = (value: string): string => tidyText(value).replace(/^bearer\s+/i, '');

/** A base address as it is saved: without spaces around it, and without `/v1` and slashes at its end. */
export function tidyBaseAddress(value: string): string {
  return value.trim().replace(/(?<=[^/:])(\/(v1)?)+$/, '');
}
