/** A bearer credential as it is saved: `Bearer`, which is added to every request, may have been copied with it. */
export const tidyToken = (value: string): string => value.replace(/^bearer\s+/i, '');

/** A base address as it is saved: without `/v1` and slashes at its end. */
export const tidyBaseAddress = (value: string): string => value.replace(/(?<=[^/:])(\/(v1)?)+$/, '');
