import React from 'react';
import { type DataQueryError, type QueryResultMetaNotice } from '@grafana/data';
import { Alert, Stack } from '@grafana/ui';
import { errorText } from '../data/runQuery';

interface Props {
  errors: DataQueryError[];
  notices: QueryResultMetaNotice[];
}

/** What went wrong with a query, and what its answer came with, above the result. */
export function Notices({ errors, notices }: Props) {
  if (errors.length === 0 && notices.length === 0) {
    return null;
  }
  return (
    <Stack direction="column" gap={0}>
      {errors.map((error, i) => (
        <Alert key={i} severity="error" title="Query error">
          {errorText(error)}
        </Alert>
      ))}
      {notices.map((notice) => (
        <Alert key={notice.text} severity={notice.severity} title={notice.text} />
      ))}
    </Stack>
  );
}
