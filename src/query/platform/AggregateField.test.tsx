import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CONFIGURED, createDataSource, fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';
import type { GpuCloudQuery } from '../../types';

const list = { refId: 'A', queryType: 'platform', path: '/v1/capacities', columns: [{ selector: 'at' }] };

/** Shows the editor, and returns a look at the query as it is saved. */
function renderEditor(initial: object) {
  const { query } = renderQueryEditor(initial, { settings: { ...CONFIGURED, projectId: 'p-1' } });
  return () => JSON.parse(JSON.stringify(query()));
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
