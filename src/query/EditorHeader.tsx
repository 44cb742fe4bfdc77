import React, { type ComponentProps, type PropsWithChildren } from 'react';
import type { DataQuery } from '@grafana/schema';
import { Alert, Stack } from '@grafana/ui';
import { Picker } from '../fields/Picker';
import { DocsButton } from '../help/DocsLink';
import { t } from '../i18n';

type Props<Value extends string> = PropsWithChildren<
  ComponentProps<typeof Picker<Value>> & ComponentProps<typeof DocsButton>
>;

/** What an editor is about, the way to its documentation, and what else is beside it. */
export const EditorHeader = <Value extends string>({ page, children, ...choice }: Props<Value>) => (
  <Stack justifyContent="space-between" gap={1}>
    <Picker {...choice} />
    <Stack alignItems="center" gap={1}>
      <DocsButton page={page} />
      {children}
    </Stack>
  </Stack>
);

/** In place of fields, for a query of a type that a later version has brought. */
export const NoEditor = ({ query }: { query: DataQuery }) => (
  <Alert severity="info" title={t('Query type “{{type}}” has no editor', { type: query.queryType })}>
    {t("The query runs as it is saved. Edit it in the panel's or the dashboard's JSON.")}
  </Alert>
);
