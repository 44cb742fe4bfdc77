import React from 'react';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp, createDataFrame, LoadingState, type PanelData } from '@grafana/data';
import { createDataSource, fakeGrafana, promql, range } from '../../testing/grafana';
import { QueryEditor } from '../QueryEditor';

beforeEach(() => localStorage.clear());

const has =
  (...names: string[]) =>
  ({ url }: { url: string }) => ({
    status: 'success',
    data: url.endsWith('metadata') ? {} : names,
  });

/** Shows the editor of a query, whose result is empty unless `more` has another. */
async function renderEditor(expr: string, more: Partial<PanelData> = {}) {
  const query = promql({ expr });
  const onChange = jest.fn();
  const data: PanelData = { state: LoadingState.Done, series: [], timeRange: range, ...more };
  const props = { app: CoreApp.PanelEditor, datasource: createDataSource(), query, data, onRunQuery: () => {} };
  await act(async () => {
    render(<QueryEditor {...props} onChange={onChange} />);
  });
  return onChange;
}

const shortHint = /takes two samples, but the metric has one every/;

it('explains that a window of one sample has no rate, and widens it', async () => {
  fakeGrafana(has('up'));
  const onChange = await renderEditor('sum(rate(requests_total{job="a"}[1m]))');

  expect(
    screen.getByText('rate(…[1m]) takes two samples, but the metric has one every 60s, so this window is empty.')
  ).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Use $__rate_interval' }));

  expect(onChange).toHaveBeenLastCalledWith(promql({ expr: 'sum(rate(requests_total{job="a"}[$__rate_interval]))' }));
});

it('knows metrics that are collected every 5 minutes', async () => {
  fakeGrafana(has('acme_ib_port_packets_tx'));
  await renderEditor('increase(acme_ib_port_packets_tx[5m])');
  expect(
    screen.getByText(/^increase\(…\[5m\]\) takes two samples, but the metric has one every 5m/)
  ).toBeInTheDocument();
});

it.each([
  ['a window of two samples', 'rate(x[2m])'],
  ['the window of Grafana', 'rate(x[$__rate_interval])'],
  ['a function that takes one sample', 'max_over_time(x[1m])'],
  ['a window of several parts', 'rate(x[1m90s])'],
])('says nothing of windows for %s', async (_, expr) => {
  fakeGrafana(has('x'));
  await renderEditor(expr);
  expect(screen.queryByText(shortHint)).not.toBeInTheDocument();
});

it('names a metric that the platform does not have', async () => {
  fakeGrafana(has('DCGM_FI_DEV_GPU_UTIL', 'up'));
  await renderEditor('sum(DCGM_FI_DEV_GPU_USE) / sum(up)');
  expect(await screen.findByText(/has no metric “DCGM_FI_DEV_GPU_USE” in this time range/)).toBeInTheDocument();
});

it.each([
  ['there is a result', { series: [createDataFrame({ refId: 'A', fields: [{ name: 'v', values: [1] }] })] }],
  ['it is still loading', { state: LoadingState.Loading }],
  ['there is an error, which says more', { errors: [{ refId: 'A', message: 'gone' }] }],
])('says nothing while %s', async (_, more) => {
  fakeGrafana(has('up'));
  await renderEditor('rate(nothing_total[1m])', more);
  expect(screen.queryByText(shortHint)).not.toBeInTheDocument();
  expect(screen.queryByText(/has no metric/)).not.toBeInTheDocument();
});
