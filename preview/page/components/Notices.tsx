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
  // Two runs of one query, as range and as instant, fail with the same sentence.
  const sentences = [...new Set(errors.map(errorText))];
  if (errors.length === 0 && notices.length === 0) {
    return null;
  }
  return (
    <Stack direction="column" gap={0}>
      {sentences.map((sentence) => (
        <Alert key={sentence} severity="error" title="Query error">
          {sentence}
        </Alert>
      ))}
      {notices.map((notice) => (
        <Alert key={notice.text} severity={notice.severity} title={notice.text} />
      ))}
    </Stack>
  );
}
