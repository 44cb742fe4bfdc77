import React from 'react';
import { render, screen } from '@testing-library/react';
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
