import React from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { QueryEditorHelpProps } from '@grafana/data';
import { createDataSource, fakeGrafana, promql } from '../../testing/grafana';
import type { GpuCloudQuery } from '../../types';
import { CHAPTERS } from './examples';
import { QueryHelp } from './QueryHelp';

function renderHelp() {
  fakeGrafana();
  const onClickExample = jest.fn();
  const props = { datasource: createDataSource(), query: promql({}), onClickExample };
  render(<QueryHelp {...(props as unknown as QueryEditorHelpProps<GpuCloudQuery>)} />);
  return onClickExample;
}

it.each([
  ['One line a node', { expr: 'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)', legendFormat: '{{instance}}' }],
  ['Jobs in the time range', { queryType: 'fineTuningJobs' }],
  ['Quotas', { queryType: 'platform', path: '/v1/projects/{projectId}/quotas' }],
])('makes the example “%s” the query', async (title, query) => {
  const onClickExample = renderHelp();

  await userEvent.click(screen.getByRole('button', { name: title }));

  expect(onClickExample).toHaveBeenCalledWith(expect.objectContaining({ refId: 'A', ...query }));
});

it('has an example for every kind of query', () => {
  renderHelp();

  expect(screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)).toEqual(
    CHAPTERS.map(({ title }) => title)
  );
});
