import { rangeUtil } from '@grafana/data';
import { t } from '../i18n';
import { tidyBaseAddress } from './tidy';

/** A sentence for the person at the form, or undefined when the value is fine. */
export type FieldError = string | undefined;

// Checks of fields that are not empty. Spaces around a value are fine: they are taken off when the field is left.

const isLike =
  (pattern: RegExp, problem: () => string) =>
  (value: string): FieldError =>
    pattern.test(value.trim()) ? undefined : problem();

const isNumber =
  (fits: (value: number) => boolean, problem: () => string) =>
  (value: string): FieldError =>
    value.trim() !== '' && Number.isFinite(Number(value)) && fits(Number(value)) ? undefined : problem();

const isWhole = (value: number) => Number.isInteger(value) && value > 0;

export const timeoutError = isNumber(isWhole, () => t('Enter a whole number of seconds, such as 30.'));
export const countError = isNumber(isWhole, () => t('Enter a whole number, such as 100.'));
export const countUpTo = (most: number) =>
  isNumber(
    (value) => isWhole(value) && value <= most,
    () => t('Enter a whole number from 1 to {{most}}.', { most: most.toLocaleString() })
  );
export const megabytesError = isNumber(
  (value) => value > 0,
  () => t('Enter a number of megabytes, such as 256.')
);
export const priceError = isNumber(
  (value) => value >= 0,
  () => t('Enter a price as a number, such as 2.50.')
);
/** The id of the key that requests are signed with is sent between colons. */
export const accessKeyIdError = isLike(/^[^\s:]*$/, () =>
  t('An access key id has no spaces and no colons. Paste the id only.')
);

export const projectIdError = isLike(/^[^\s/?#]+$/, () =>
  t('A project id has no spaces and no slashes. Paste the id only, not its address.')
);

/** A duration as Prometheus writes it. A number without a unit is of seconds. */
export const durationError = isLike(/^(?!0+$)(\d+|(\d+(ms|s|m|h|d|w|y))+)$/, () =>
  t('Enter a time with a unit, such as 60s or 1m.')
);

/** Checks a base address. A `/v1` at its end is taken off when the field is left. */
export function addressError(typed: string): FieldError {
  const value = typed.trim();
  const url = parseUrl(value);
  if (!url || !isHttpAddress(value)) {
    return addressProblem();
  }
  if (url.username || url.password) {
    return t('Leave out the user name and password: they would be saved unencrypted.');
  }
  if (url.search || url.hash) {
    return t('Leave out everything from the question mark or # on.');
  }
  if (parseUrl(tidyBaseAddress(value))?.pathname.includes('//')) {
    return t('Leave out one of two slashes in a row.');
  }
  return undefined;
}

/** Checks the base path of a Prometheus API. */
export function prometheusUrlError(value: string): FieldError {
  return (
    addressError(value) ??
    (/\/api\/v1(\/.*)?$/.test(value.trim())
      ? t('Leave out /api/v1 and what follows: it is added to every request.')
      : undefined)
  );
}

/** What the console's address may have in braces. */
const CONSOLE_PLACEHOLDERS = ['{projectId}', '{jobId}', '{checkpointId}'];

/** Checks the address of a job in the web console. */
export function consoleUrlError(value: string): FieldError {
  const unknown = value.match(/\{[^{}]*\}/g)?.find((found) => !CONSOLE_PLACEHOLDERS.includes(found));
  if (unknown) {
    return t('{{unknown}} is not known. Use {projectId}, {jobId} and {checkpointId}.', { unknown });
  }
  return isHttpAddress(value.trim()) ? undefined : addressProblem();
}

/** Checks how long the platform stores samples, as the backend will read it. */
export function retentionError(value: string): FieldError {
  const isShort = () => rangeUtil.intervalToMs(/^\d+$/.test(value) ? `${value}s` : value) < 2 * 3_600_000;
  return durationError(value) || isShort() ? t('Enter a time with a unit of 2h or longer, such as 30d.') : undefined;
}

const addressProblem = () => t('Enter a full address that starts with https:// or http://.');

function isHttpAddress(value: string): boolean {
  return /^https?:\/\/[^/]/i.test(value) && parseUrl(value) !== undefined;
}

function parseUrl(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}
