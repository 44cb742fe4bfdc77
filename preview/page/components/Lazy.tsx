import React, { Suspense } from 'react';
import { ErrorBoundaryAlert, LoadingPlaceholder } from '@grafana/ui';

/** Room for a part of the plugin, which may load late, and may fail without taking the page with it. */
export function Lazy({ children }: React.PropsWithChildren) {
  return (
    <ErrorBoundaryAlert title="The plugin failed here">
      <Suspense fallback={<LoadingPlaceholder text="Loading…" />}>{children}</Suspense>
    </ErrorBoundaryAlert>
  );
}
