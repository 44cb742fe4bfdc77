import React from 'react';
import { render, screen, waitFor } from '@testing-library/react';
import { fakeGrafana } from './testing/grafana';

const options = { jsonData: {}, secureJsonFields: {}, readOnly: false };

it('gives Grafana the data source at once, and its editors when they are shown', async () => {
  fakeGrafana();
  const { plugin } = await import('./module');
  const { ConfigEditor, QueryEditor, QueryEditorHelp } = plugin.components;

  expect(plugin.DataSourceClass).toBeDefined();
  expect(QueryEditor).toBeDefined();
  expect(QueryEditorHelp).toBeDefined();

  render(React.createElement(ConfigEditor!, { options, onOptionsChange: () => {} } as never));
  expect(screen.getByText('Loading editor')).toBeInTheDocument();
  expect(await screen.findByText('Connection')).toBeInTheDocument();
});

it('has Prometheus’ texts in the language of Grafana', async () => {
  await jest.isolateModulesAsync(async () => {
    const { default: i18next } = await import('i18next');
    await i18next.init({ lng: 'de-DE', resources: { 'de-DE': { grafana: { help: 'Hilfe' } } } });
    const { t } = await import('@grafana/i18n');

    await import('./module');

    await waitFor(() =>
      expect(t('grafana-prometheus.components.annotation-query-editor.label-title', 'Title')).toBe('Titel')
    );
  });
});
