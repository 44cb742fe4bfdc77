import React, { Suspense } from 'react';
import { Box, ErrorBoundaryAlert, LoadingPlaceholder } from '@grafana/ui';

/** Room for an editor of the plugin, which may load late, and may fail without taking the page with it. */
export function Editor({ label, children }: React.PropsWithChildren<{ label: string }>) {
  return (
    <Box element="section" aria-label={label} backgroundColor="primary" padding={1} marginY={2}>
      <ErrorBoundaryAlert title="The plugin failed here">
        <Suspense fallback={<LoadingPlaceholder text="Loading…" />}>{children}</Suspense>
      </ErrorBoundaryAlert>
    </Box>
  );
}
