import React, { useState } from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import { CONFIGURED, createDataSource, fakeGrafana } from '../../testing/grafana';
import type { GpuCloudQuery } from '../../types';
import { QueryEditor } from '../QueryEditor';

const list = { refId: 'A', queryType: 'platform', path: '/v1/capacities', columns: [{ selector: 'at' }] };

/** Shows the editor as Grafana does, which keeps the query, and returns a look at it as it is saved. */
function renderEditor(initial: object) {
  let current = initial as GpuCloudQuery;
  const dataSource = createDataSource({ ...CONFIGURED, projectId: 'p-1' });
  function Page() {
    const [query, setQuery] = useState(current);
    const onChange = (changed: GpuCloudQuery) => {
      current = changed;
      setQuery(changed);
    };
    return (
      <QueryEditor
        app={CoreApp.PanelEditor}
        datasource={dataSource}
        query={query}
        onChange={onChange}
        onRunQuery={jest.fn()}
      />
    );
  }
  render(<Page />);
  return () => JSON.parse(JSON.stringify(current));
}

it('counts the items of a list over time per interval, and draws them again', async () => {
  fakeGrafana();
  const query = renderEditor({ ...list, timeColumn: 'at' });

  expect(screen.getByRole('radio', { name: 'Items' })).toBeChecked();
  await userEvent.click(screen.getByRole('radio', { name: 'Count per interval' }));
  expect(query()).toEqual({ ...list, timeColumn: 'at', aggregate: 'count' });
  expect(screen.getByRole('radio', { name: 'Count per interval' })).toBeChecked();

  await userEvent.click(screen.getByRole('radio', { name: 'Items' }));
  expect(query()).toEqual({ ...list, timeColumn: 'at' });
});

it('has nothing to count in a table', () => {
  fakeGrafana();
  renderEditor(list);
  expect(screen.queryByRole('radio', { name: 'Count per interval' })).not.toBeInTheDocument();
});

it('leaves the count of a table out of what the backend gets', () => {
  const [filled] = createDataSource().interpolateVariablesInQueries(
    [{ ...list, aggregate: 'count' } as GpuCloudQuery],
    {}
  );
  expect(JSON.parse(JSON.stringify(filled))).not.toHaveProperty('aggregate');
});
