import { mapValues } from 'lodash';
import { t as translate } from '@grafana/i18n';
import { TEXTS } from './locales/texts.ts';

/** Dots and colons are part of a text, and React escapes what is put into it. */
const AS_WRITTEN = { keySeparator: false, nsSeparator: false, interpolation: { escapeValue: false } };

/**
 * A text in Grafana's language. English is its own key in `locales`: so a text stands once, in a table or where it is shown.
 *
 * @param values for what the text has in double braces; `count` chooses a plural
 */
export const t = (english: string, values?: Record<string, unknown>): string =>
  translate(english, english, { ...values, ...AS_WRITTEN });

/** An entry of a table for the screen. A table itself is in English: translations are not loaded yet when its module is. */
export const translated = <Entry extends object>(entry: Entry): Entry =>
  mapValues(entry, (value: unknown, name) =>
    typeof value === 'string' && TEXTS.includes(name) ? t(value) : value
  ) as Entry;
