import React, { type ReactNode } from 'react';
import { Stack } from '@grafana/ui';

/** An editor's rows, one below the other and no wider than the editor, which the rows of `@grafana/plugin-ui` can be. */
export function EditorStack({ children }: { children: ReactNode }) {
  return (
    <Stack direction="column" gap={0.5}>
      {children}
    </Stack>
  );
}
