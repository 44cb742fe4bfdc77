import React, { useState } from 'react';
import { getBackendSrv, isFetchError } from '@grafana/runtime';
import { Button, Field, InlineFieldRow, Text } from '@grafana/ui';
import { t } from '../i18n';
import type { SectionProps } from './section';

type Outcome = { message: string; failed: boolean };

export function RefreshCache({ options: { uid } }: Pick<SectionProps, 'options'>) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const refresh = async () => {
    setBusy(true);
    setOutcome(await post(uid));
    setBusy(false);
  };

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
        <Button variant="secondary" icon="sync" disabled={busy} onClick={refresh}>
          {t('Refresh the cache')}
        </Button>
        <div role="status">
          {outcome && <Text color={outcome.failed ? 'error' : 'success'}>{outcome.message}</Text>}
        </div>
      </InlineFieldRow>
    </Field>
  );
}

async function post(uid: string): Promise<Outcome> {
  try {
    const url = `/api/datasources/uid/${encodeURIComponent(uid)}/resources/cache/refresh`;
    const response = await getBackendSrv().post<{ message: string }>(url, undefined, {
      showErrorAlert: false,
      showSuccessAlert: false,
    });
    return { message: response.message, failed: false };
  } catch (error) {
    const message = isFetchError<{ message?: string }>(error) ? error.data?.message : undefined;
    return { message: message ?? t('The cache could not be refreshed. Try again in a moment.'), failed: true };
  }
}
