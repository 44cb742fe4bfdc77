import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { LoadingState, type DataQueryRequest, type PanelData } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { failing, fakeGrafana, range } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import { noRuns, twoRuns } from '../testing/runs';
import { choose, write as writeInto } from '../testing/user';

const renderEditor = (initial: object, more: Parameters<typeof renderQueryEditor>[1] = {}) =>
  act(async () => renderQueryEditor(initial, more));

const jobs = { refId: 'A', queryType: 'runComparison', source: { kind: 'fineTuning' }, metric: 'train_loss' };
const series = { kind: 'series', expr: 'training_loss', by: ['pod_name'] };

/** What a panel has after a request, which found nothing. */
const requested = (request: Partial<DataQueryRequest>): PanelData =>
  ({
    state: LoadingState.Done,
    series: [],
    timeRange: range,
    request: { targets: [], ...request },
  }) as unknown as PanelData;

const write = (name: string, text: string) => writeInto(screen.getByRole('textbox', { name }), text);

beforeEach(() => localStorage.clear());

/** The queries that were run to find runs. */
const searches = (requests: BackendSrvRequest[]) => requests.filter(({ url }) => url.startsWith('/api/ds/query'));

describe('the runs found', () => {
  it('are offered by name, with their status, start and length', async () => {
    const { requests } = fakeGrafana(twoRuns);
    await renderEditor(jobs);
    await userEvent.click(screen.getByRole('combobox', { name: 'Runs' }));

    expect(
      await screen.findByRole('option', { name: /support-bot.*succeeded · 2026-01-01.* · 2.0 hours/ })
    ).toBeVisible();
    expect(screen.getByRole('option', { name: /larger-batch.*running.*1.5 hours/ })).toBeVisible();
    expect(searches(requests)[0].data.queries[0]).toMatchObject({
      queryType: 'runs',
      source: { kind: 'fineTuning' },
      measures: [],
    });
  });

  it.each([
    ['utc', '2026-01-01 00:00:00'],
    ['Asia/Tokyo', '2026-01-01 09:00:00'],
  ])('start in the time zone of the dashboard: %s', async (timezone, start) => {
    fakeGrafana(twoRuns);
    await renderEditor(jobs, { data: requested({ timezone }) });
    await userEvent.click(screen.getByRole('combobox', { name: 'Runs' }));
    expect(await screen.findByRole('option', { name: new RegExp(`support-bot.*${start}`) })).toBeInTheDocument();
  });

  it('are those under the ad hoc filters of the dashboard', async () => {
    const filters = [{ key: 'cluster_id', operator: '=', value: 'east' }];
    const { requests } = fakeGrafana(twoRuns);
    await renderEditor({ ...jobs, source: series }, { data: requested({ filters }) });

    const [{ adhocFilters }] = searches(requests)[0].data.queries;
    expect(adhocFilters).toEqual([expect.objectContaining({ key: 'cluster_id', value: 'east' })]);
  });

  it('can be chosen, which runs the query at once', async () => {
    fakeGrafana(twoRuns);
    const { query, onRunQuery } = await renderEditor(jobs);

    await choose('Runs', /support-bot/);
    await userEvent.click(await screen.findByRole('option', { name: /larger-batch/ }));

    expect(query()).toEqual({ ...jobs, runs: ['ftjob-1', 'ftjob-2'] });
    expect(onRunQuery).toHaveBeenCalledTimes(2);
  });

  it('give the baseline, and the difference to it', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor(jobs);
    expect(screen.queryByRole('radio', { name: 'Difference' })).not.toBeInTheDocument();

    await choose(/Baseline/, /support-bot/);
    await userEvent.click(screen.getByRole('radio', { name: 'Difference' }));

    expect(query()).toEqual({ ...jobs, baseline: 'ftjob-1', difference: true });
  });

  it('that are none have the sentence of the backend', async () => {
    fakeGrafana(noRuns('No job has the status paused. The newest job is support-bot.'));
    await renderEditor(jobs);
    expect(await screen.findByText(/No job has the status paused/)).toBeInTheDocument();
  });

  it('that can’t be listed have the sentence of the backend', async () => {
    fakeGrafana(failing('The tuning gateway refused the inference API key.'));
    await renderEditor({ ...jobs, source: series });
    await userEvent.click(screen.getByRole('combobox', { name: 'Runs' }));
    expect(await screen.findByText('The tuning gateway refused the inference API key.')).toBeInTheDocument();
  });

  it('of two queries are requested side by side: Grafana cancels a request when another comes with its id', async () => {
    const { requests } = fakeGrafana(twoRuns);
    await renderEditor(jobs);
    await renderEditor({ ...jobs, refId: 'B', source: series });

    const ids = searches(requests).map(({ requestId }) => requestId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it('follow the value of a variable', async () => {
    const values = { status: 'running' };
    const { requests } = fakeGrafana(twoRuns, values);
    const statusesOf = () => searches(requests).map(({ data }) => data.queries[0].source.statuses[0]);
    const { rerender } = await renderEditor({ ...jobs, source: { kind: 'fineTuning', statuses: ['$status'] } });

    values.status = 'failed';
    await act(async () => rerender());

    expect(statusesOf()).toEqual(['running', 'failed']);
  });

  it('of a request that gave way to another one are no error', async () => {
    fakeGrafana((request) => {
      if (request.url.startsWith('/api/ds/query')) {
        // As Grafana's backend service does it.
        throw { type: 'cancelled', cancelled: true, data: null, status: -1, statusText: 'Request was aborted' };
      }
      return [];
    });
    await renderEditor(jobs);
    expect(screen.queryByText(/aborted/)).not.toBeInTheDocument();
  });

  it('are not looked for as long as the source is not complete', async () => {
    const { requests } = fakeGrafana(twoRuns);
    await renderEditor({ ...jobs, source: { kind: 'series', expr: '', by: [] } });
    expect(searches(requests)).toEqual([]);
  });
});

describe('the source', () => {
  it('is series, by their labels', async () => {
    fakeGrafana(twoRuns);
    const { query, onRunQuery } = await renderEditor({ ...jobs, runs: ['ftjob-1'], baseline: 'ftjob-1' });

    await userEvent.click(screen.getByRole('radio', { name: 'PromQL series' }));
    // A query that is not complete runs, too: the result of the one before must not stay.
    expect(onRunQuery).toHaveBeenCalledTimes(1);
    await write('Series', 'training_loss');
    await choose('A run for each', 'pod_name');

    expect(query()).toEqual({ refId: 'A', queryType: 'runComparison', source: series, metric: undefined });
    expect(onRunQuery).toHaveBeenCalledTimes(3);
  });

  it('shows real examples where nothing is entered', async () => {
    fakeGrafana(twoRuns);
    await renderEditor({ ...jobs, source: { kind: 'series', expr: '', by: [] } });
    expect(screen.getByPlaceholderText('training_loss{metrics_source="custom-metrics"}')).toBeInTheDocument();
    expect(screen.getByPlaceholderText('pod_name')).toBeInTheDocument();
    expect(screen.getByPlaceholderText('10m')).toBeInTheDocument();
    await userEvent.click(screen.getByText('Options'));
    expect(screen.getByPlaceholderText('cluster_id="$cluster_id"')).toBeInTheDocument();
  });

  it('says what is wrong with a gap', async () => {
    fakeGrafana(twoRuns);
    await renderEditor({ ...jobs, source: series, metric: undefined });
    await write('Longest gap', 'soon');
    expect(screen.getByText(/Enter a time with a unit/)).toBeInTheDocument();
  });

  it('is runs by hand', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor({ refId: 'A', queryType: 'runs', source: { kind: 'fineTuning' } });

    await userEvent.click(screen.getByRole('radio', { name: 'By hand' }));
    await userEvent.click(screen.getByRole('button', { name: 'Add run' }));
    await write('Name', 'larger batch');
    await write('From', 'now-1d');

    const runs = [{ name: 'larger batch', from: 'now-1d', to: '' }];
    expect(query()).toMatchObject({ source: { kind: 'manual', runs } });
  });
});

describe('what is compared', () => {
  it('is a training metric or PromQL, which has to be entered', async () => {
    fakeGrafana(twoRuns);
    const { query, onRunQuery } = await renderEditor(jobs);

    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    expect(onRunQuery).toHaveBeenCalledTimes(1);
    await write('Expression', 'avg(DCGM_FI_DEV_GPU_UTIL{$selector})');

    expect(query()).toMatchObject({ expr: expect.stringContaining('DCGM_FI_DEV_GPU_UTIL') });
    expect(query()).not.toHaveProperty('metric', expect.anything());
    expect(onRunQuery).toHaveBeenCalledTimes(2);
  });

  it('is on one of three axes', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor(jobs);
    expect(screen.getByRole('radio', { name: 'Elapsed time' })).toBeChecked();

    await userEvent.click(screen.getByRole('radio', { name: 'Step' }));

    expect(query()).toMatchObject({ axis: 'step' });
  });

  it('is a table of measures of the same runs', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor({ ...jobs, runs: ['ftjob-1'], baseline: 'ftjob-2' });

    await userEvent.click(screen.getByRole('radio', { name: 'Measures' }));
    await choose('Measures', /^GPU-hours/);
    await userEvent.keyboard('{Escape}');

    expect(query()).toEqual({
      refId: 'A',
      queryType: 'runs',
      source: { kind: 'fineTuning' },
      runs: ['ftjob-1'],
      baseline: 'ftjob-2',
      measures: ['gpu_hours'],
    });
  });
});
