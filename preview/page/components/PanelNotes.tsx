import React from 'react';
import { type QueryResultMetaNotice } from '@grafana/data';
import { Icon, PanelChrome, Tooltip } from '@grafana/ui';

/** What an answer came with, as a sign in a panel's header that tells it when it is pointed at. */
export function PanelNotes({ notices }: { notices: QueryResultMetaNotice[] }) {
  if (notices.length === 0) {
    return null;
  }
  const sentences = notices.map(({ text }) => text);
  return (
    <Tooltip
      content={
        <>
          {sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </>
      }
    >
      <PanelChrome.TitleItem>
        <Icon name="info-circle" aria-label={sentences.join('\n')} />
      </PanelChrome.TitleItem>
    </Tooltip>
  );
}
