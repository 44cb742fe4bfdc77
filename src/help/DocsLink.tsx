import React from 'react';
import { LinkButton } from '@grafana/ui';
import { t } from '../i18n';
import pluginJson from '../plugin.json';

const DOCUMENTATION = pluginJson.info.links.find((link) => link.name === 'Documentation')?.url ?? '';

/** The pages of the documentation, which are files beside each other, by what they are about. */
const PAGES = {
  settings: { file: 'configure.md', label: 'How to configure the data source' },
  query: { file: 'query-editor.md', label: 'How to write queries' },
  alerting: { file: 'alerting.md', label: 'How to write alert rules' },
  annotation: { file: 'annotations.md', label: 'How to draw annotations' },
  variable: { file: 'variables.md', label: 'How to use variables' },
};

type Page = keyof typeof PAGES;

export function docsUrl(page: Page): string {
  return new URL(PAGES[page].file, DOCUMENTATION).toString();
}

/** Leads to the page of the documentation that explains an editor. */
export function DocsButton({ page }: { page: Page }) {
  const label = t(PAGES[page].label);
  return (
    <LinkButton
      href={docsUrl(page)}
      target="_blank"
      rel="noreferrer"
      icon="question-circle"
      size="sm"
      fill="text"
      variant="secondary"
      aria-label={label}
      tooltip={label}
    />
  );
}
