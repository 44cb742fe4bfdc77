import React from 'react';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import i18next from 'i18next';
import { initPluginTranslations, t as grafanaT } from '@grafana/i18n';
import { t } from './i18n';
import english from './locales/en-US/gpucloud-platform-datasource.json';
import { QueryHelp } from './query/help/QueryHelp';
import { switchType } from './saved/typedQuery';
import { QUERY_TYPES, type QueryType } from './queryTypes';
import { renderEditor as renderSettings } from './testing/configEditor';
import { CONFIGURED, createDataSource, fakeGrafana, range, TYPE } from './testing/grafana';
import { renderQueryEditor } from './testing/queryEditor';
import { VARIABLE_SERVICES, type VariableType } from './variables/query';
import { VariableSupport } from './variables/VariableSupport';

/** A language in which every text is in brackets. */
const BRACKETS = Object.fromEntries(Object.keys(english).map((text) => [text, `⟦${text}⟧`]));

beforeAll(async () => {
  // As Grafana does it, before it loads a plugin.
  await i18next.init({ lng: 'de-DE', resources: { 'de-DE': { [TYPE]: { ...BRACKETS, '1 job': 'one job' } } } });
  await initPluginTranslations(TYPE);
});

beforeEach(() => {
  fakeGrafana();
});

/** What is in no language, the name of the data source, and what @grafana/plugin-ui puts behind labels. */
const NO_TEXT = /^(⟦.*|[^a-z]*|GPU Cloud|- optional|)$/is;

/** The texts on screen that are in English. */
function untranslated(within: Element = document.body): string[] {
  const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const texts: string[] = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (!parentElement?.closest('style, code')) {
      texts.push(textContent ?? '');
    }
  }
  for (const element of within.querySelectorAll('[aria-label], [title]')) {
    texts.push(element.getAttribute('aria-label') ?? '', element.getAttribute('title') ?? '');
  }
  return [...new Set(texts.filter((text) => !NO_TEXT.test(text.trim())))];
}

it('shows texts in the language of Grafana, with what is put into them, and English where there is no other', () => {
  expect(t('{{count}} jobs', { count: 7 })).toBe('⟦7 jobs⟧');
  expect(t('1 job')).toBe('one job');
  expect(t('Set {{missing}} in the settings of the data source', { missing: '<a & b>' })).toContain('<a & b>');
  expect(t('No such text: it stays.')).toBe('No such text: it stays.');
});

const types = Object.keys(QUERY_TYPES) as QueryType[];

it.each(types)('has no English in the editor of %s', async (queryType) => {
  const place = { settings: CONFIGURED, alerting: false };
  renderQueryEditor({ ...switchType({ refId: 'A' }, queryType, place) });
  await screen.findByText(`⟦${QUERY_TYPES[queryType].description}⟧`);
  await screen.findAllByText(/^⟦(Jobs|Locations|Path|Purposes)⟧$/);
  expect(untranslated()).toEqual([]);
});

it.each(Object.keys(VARIABLE_SERVICES) as VariableType[])(
  'has no English in the variable editor of %s',
  async (type) => {
    const { editor: Editor } = createDataSource().variables as VariableSupport;
    const query = { refId: 'A', queryType: type, source: { kind: 'fineTuning' }, path: '' } as never;
    render(<Editor datasource={createDataSource()} query={query} onChange={() => {}} onRunQuery={() => {}} />);
    await screen.findByRole('radiogroup', { name: '⟦Values from⟧' });
    expect(untranslated()).toEqual([]);
  }
);

it('has no English in the annotation editor', async () => {
  const dataSource = createDataSource();
  const Editor = dataSource.annotations!.QueryEditor!;
  const query = { refId: 'Anno', queryType: 'fineTuningAnnotations' as const };
  render(<Editor datasource={dataSource} range={range} query={query} onChange={() => {}} onRunQuery={() => {}} />);
  await screen.findByText('⟦Nothing would be drawn in this range⟧');
  expect(untranslated()).toEqual([]);
});

it('has no English in the settings', async () => {
  renderSettings();
  for (const section of ['Prices', 'Archive', 'Advanced']) {
    await userEvent.click(screen.getByRole('button', { name: new RegExp(section) }));
  }
  // What Grafana's components of @grafana/plugin-ui say.
  expect(untranslated()).toEqual([
    'Before you can use the ',
    ' data source, you must configure it below or in the config file. For detailed instructions,',
    'view the documentation',
    'Fields marked with * are required',
    'Add',
    'Authentication',
    'TLS settings',
    'Additional security measures that can be applied on top of authentication',
    'Add self-signed certificate',
    'TLS Client Authentication',
    'Skip TLS certificate validation',
    'HTTP headers',
    'Pass along additional context and metadata about the request/response',
    'GET',
    'POST',
    expect.stringContaining('⟦Prices⟧'),
    expect.stringContaining('⟦Archive⟧'),
    'Show secret content',
    expect.stringContaining('⟦Advanced⟧'),
    'Expand section HTTP headers',
  ]);
});

it('has no English in the help', () => {
  render(<QueryHelp datasource={createDataSource()} onClickExample={() => {}} query={{ refId: 'A', expr: '' }} />);
  expect(untranslated()).toEqual([]);
});

it('finds queries of the catalog in the language of Grafana', async () => {
  fakeGrafana(() => ({ status: 'success', data: [] }));
  renderQueryEditor({ expr: '' });
  await userEvent.click(await screen.findByRole('button', { name: '⟦Catalog⟧' }));
  await screen.findByText('⟦Utilization by node⟧');
  expect(untranslated(screen.getByRole('dialog'))).toEqual(['Close']);
});

it('has Prometheus’ texts in the language of Grafana', async () => {
  await import('./module');
  await waitFor(() =>
    expect(grafanaT('grafana-prometheus.components.annotation-query-editor.label-title', 'Title')).toBe('Titel')
  );
});
