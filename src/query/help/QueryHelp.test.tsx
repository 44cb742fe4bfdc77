import React from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { QueryEditorHelpProps } from '@grafana/data';
import { createDataSource, fakeGrafana, promql, TYPE, UID } from '../../testing/grafana';
import type { GpuCloudQuery } from '../../types';
import { chapters } from './examples';
import { QueryHelp } from './QueryHelp';

function renderHelp() {
  fakeGrafana();
  const onClickExample = jest.fn();
  const props = { datasource: createDataSource(), query: promql({}), onClickExample };
  render(<QueryHelp {...(props as unknown as QueryEditorHelpProps<GpuCloudQuery>)} />);
  return onClickExample;
}

it.each([
  ['One line for each node', { expr: 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)', legendFormat: '{{instance}}' }],
  ['Jobs in the time range', { queryType: 'fineTuningJobs' }],
  ['Quotas', { queryType: 'platform', path: '/v1/projects/{projectId}/quotas' }],
])('makes the example “%s” the query', async (title, query) => {
  const onClickExample = renderHelp();

  await userEvent.click(screen.getByRole('button', { name: title }));

  expect(onClickExample).toHaveBeenCalledWith(expect.objectContaining({ refId: 'A', ...query }));
});

it('gives an example the data source that it is used with, and not that of its first use', async () => {
  const onClickExample = renderHelp();
  // Explore and panels write their own into the query.
  onClickExample.mockImplementation((query: GpuCloudQuery) => {
    query.datasource = { type: TYPE, uid: 'another' };
  });

  await userEvent.click(screen.getByRole('button', { name: 'One line for each node' }));
  onClickExample.mockReset();
  await userEvent.click(screen.getByRole('button', { name: 'One line for each node' }));

  expect(onClickExample).toHaveBeenCalledWith(expect.objectContaining({ datasource: { type: TYPE, uid: UID } }));
});

it('has examples that differ in the query history', () => {
  fakeGrafana();
  const dataSource = createDataSource();
  const lines = chapters().flatMap(({ examples }) =>
    examples.map(({ query }) => dataSource.getQueryDisplayText(query))
  );
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines).toEqual(expect.arrayContaining(['Fine-tuning · Jobs', 'Fine-tuning · Jobs · timeline']));
});
