import React, { type ComponentProps, type PropsWithChildren } from 'react';
import { Stack } from '@grafana/ui';
import { Picker } from '../fields/Picker';
import { DocsButton } from '../help/DocsLink';

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
