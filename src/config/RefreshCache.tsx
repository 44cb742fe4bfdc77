import React from 'react';
import useAsyncFn from 'react-use/lib/useAsyncFn';
import { getBackendSrv, isFetchError } from '@grafana/runtime';
import { Button, Field, InlineFieldRow, Text } from '@grafana/ui';
import { t } from '../i18n';
import type { SectionProps } from './section';

export function RefreshCache({ options: { uid } }: Pick<SectionProps, 'options'>) {
  const [{ value, error, loading }, refresh] = useAsyncFn(() => post(uid), [uid]);

  if (!uid) {
    return null;
  }
  return (
    <Field
      label={t('Refresh the cache')}
      description={t('Removes all cached results, for samples that arrived later than the recent window.')}
      noMargin={false}
    >
      <InlineFieldRow>
        <Button variant="secondary" icon="sync" disabled={loading} onClick={refresh}>
          {t('Refresh the cache')}
        </Button>
        <div role="status">
          <Text color={error ? 'error' : 'success'}>{error ? messageOf(error) : (value ?? '')}</Text>
        </div>
      </InlineFieldRow>
    </Field>
  );
}

async function post(uid: string): Promise<string> {
  const url = `/api/datasources/uid/${encodeURIComponent(uid)}/resources/cache/refresh`;
  const silent = { showErrorAlert: false, showSuccessAlert: false };
  const { message } = await getBackendSrv().post<{ message: string }>(url, undefined, silent);
  return message;
}

const messageOf = (error: unknown): string =>
  (isFetchError<{ message?: string }>(error) && error.data?.message) ||
  t('The cache could not be refreshed. Try again in a moment.');
