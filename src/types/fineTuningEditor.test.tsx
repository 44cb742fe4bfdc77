import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { lastValueFrom } from 'rxjs';
import { CoreApp, dateTime, type TimeRange } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { createDataSource, failing, fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import { choose as chooseIn } from '../testing/user';
import type { GpuCloudQuery } from '../types';

const HOUR = 3_600_000;

const jobs = [
  {
    id: 'ftjob-1',
    name: 'support-bot',
    model: 'llama',
    status: 'failed',
    created: Date.now() - 80 * HOUR,
    finished: Date.now() - 72 * HOUR,
  },
  { id: 'ftjob-2', name: 'ftjob-2', model: 'qwen', status: 'queued', created: null, finished: null },
];

const lists: Record<string, unknown> = {
  jobs,
  models: [{ id: 'meta/llama', jobs: 1 }],
  statuses: [
    { status: 'failed', color: 'red', jobs: 1 },
    { status: 'queued', color: 'yellow', jobs: 2 },
  ],
};

const gateway = ({ url }: BackendSrvRequest) => lists[url.split('/resources/')[1]] ?? { status: 'success', data: [] };

/** Shows the editor. The lists arrive at once. */
const renderEditor = (initial: GpuCloudQuery, more: { app?: CoreApp } = {}) =>
  act(async () => renderQueryEditor(initial, more));

const choose = async (field: string, option: RegExp | string) => {
  await chooseIn(field, option);
  await userEvent.keyboard('{Escape}');
};

const jobsQuery: GpuCloudQuery = { refId: 'A', queryType: 'fineTuningJobs' };

beforeEach(() => localStorage.clear());

describe('choosing what a query is about', () => {
  it('gives back what was written when the choice is taken back', async () => {
    fakeGrafana(gateway);
    const written = { refId: 'A', expr: 'up', range: true };
    const { query } = await renderEditor(written);

    await userEvent.click(screen.getByRole('radio', { name: 'Fine-tuning' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Metrics' }));

    expect(query()).toEqual(written);
  });

  it('starts metrics without anything of fine-tuning', async () => {
    fakeGrafana(gateway);
    const { query } = await renderEditor({ ...jobsQuery, statuses: ['failed'] } as GpuCloudQuery);

    await userEvent.click(screen.getByRole('radio', { name: 'Metrics' }));

    expect(query()).toMatchObject({ refId: 'A', expr: '' });
    expect(query()).not.toHaveProperty('queryType', expect.anything());
    expect(query()).not.toHaveProperty('statuses', expect.anything());
  });

  it('keeps the options that the next type has, and no others', async () => {
    fakeGrafana(gateway);
    const saved = { ...jobsQuery, jobIds: ['ftjob-1'], statuses: ['failed'], format: 'count' };
    const { query } = await renderEditor(saved as GpuCloudQuery);

    await userEvent.click(screen.getByRole('radio', { name: 'Checkpoints' }));
    expect(query()).toEqual({
      refId: 'A',
      queryType: 'fineTuningCheckpoints',
      jobIds: ['ftjob-1'],
      statuses: ['failed'],
    });

    await userEvent.click(screen.getByRole('radio', { name: 'Curves' }));
    expect(query()).toEqual({
      refId: 'A',
      queryType: 'fineTuningCurves',
      jobIds: ['ftjob-1'],
      statuses: ['failed'],
    });
  });

  it('counts jobs in an alert rule, which needs numbers', async () => {
    fakeGrafana(gateway);
    const { query } = await renderEditor({ refId: 'A', expr: '' }, { app: CoreApp.UnifiedAlerting });

    await userEvent.click(screen.getByRole('radio', { name: 'Fine-tuning' }));

    expect(query()).toEqual({ ...jobsQuery, format: 'count' });
    expect(screen.queryByRole('radio', { name: 'Events' })).not.toBeInTheDocument();
    const formats = within(screen.getByRole('radiogroup', { name: 'Format' })).getAllByRole('radio');
    expect(formats.map((format) => format.getAttribute('aria-label') ?? format.closest('div')?.textContent)).toEqual([
      'Count',
      'Count by job',
    ]);
  });

  it('shows that an alert rule counts jobs, also if another format was saved', async () => {
    fakeGrafana(gateway);
    await renderEditor({ ...jobsQuery, format: 'table' } as GpuCloudQuery, { app: CoreApp.UnifiedAlerting });

    expect(screen.getByRole('radio', { name: 'Count' })).toBeChecked();
    expect(screen.queryByRole('radio', { name: 'Table' })).not.toBeInTheDocument();
  });

  it('shows a type that alert rules have no use for behind those that they offer', async () => {
    fakeGrafana(gateway);
    await renderEditor({ refId: 'A', queryType: 'fineTuningCheckpoints' }, { app: CoreApp.UnifiedAlerting });

    const types = within(screen.getByRole('radiogroup', { name: 'Show' }));
    expect(types.getAllByRole('radio')).toEqual(
      ['Jobs', 'Curves', 'Checkpoints'].map((name) => types.getByRole('radio', { name }))
    );
    expect(types.getByRole('radio', { name: 'Checkpoints' })).toBeChecked();
  });

  it('shows the annotations of a panel that was made of them', async () => {
    fakeGrafana(gateway);
    await renderEditor({ refId: 'A', queryType: 'fineTuningAnnotations' });
    expect(screen.getByRole('radio', { name: 'Annotations' })).toBeChecked();
  });
});

describe('the fields', () => {
  it('say in their lists that these are on their way, without a spinner, which could stay for good', async () => {
    fakeGrafana(() => new Promise(() => {}));
    await renderEditor(jobsQuery);

    expect(screen.queryByTestId('spinner')).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole('combobox', { name: 'Jobs' }));
    expect(await screen.findByRole('option', { name: 'The list is being loaded' })).toBeInTheDocument();
  });

  it('offer jobs by name, statuses and models, and run the query with every change', async () => {
    fakeGrafana(gateway);
    const { query, onRunQuery } = await renderEditor(jobsQuery);

    await choose('Jobs', /support-bot/);
    await choose('Status', /queued/);
    await choose('Base model', /llama/);

    expect(query()).toEqual({ ...jobsQuery, jobIds: ['ftjob-1'], statuses: ['queued'], models: ['meta/llama'] });
    expect(onRunQuery).toHaveBeenCalledTimes(3);
    expect(screen.getByText('support-bot')).toBeInTheDocument();
  });

  it('take what is typed', async () => {
    fakeGrafana(gateway);
    const { query } = await renderEditor(jobsQuery);

    await userEvent.type(screen.getByRole('combobox', { name: 'Jobs' }), ' ftjob-99 ');
    await userEvent.click(await screen.findByRole('option', { name: /use as it is typed/i }));

    expect(query()).toEqual({ ...jobsQuery, jobIds: ['ftjob-99'] });
  });

  it('offer the dashboard’s variables', async () => {
    fakeGrafana(gateway, { job: 'x' });
    const { query } = await renderEditor(jobsQuery);

    await choose('Jobs', /\$job/);

    expect(query()).toEqual({ ...jobsQuery, jobIds: ['$job'] });
  });

  it('say why a list could not be loaded, and take what is typed', async () => {
    fakeGrafana(failing('The tuning gateway refused the inference API key.'));
    const { query } = await renderEditor(jobsQuery);

    const field = screen.getByRole('combobox', { name: 'Jobs' });
    await userEvent.click(field);
    expect(await screen.findByText('The list could not be loaded. Type a value.')).toBeInTheDocument();
    expect(screen.getByText('The tuning gateway refused the inference API key.')).toBeInTheDocument();
    await userEvent.type(field, 'ftjob-99');
    await userEvent.click(await screen.findByRole('option', { name: /use as it is typed/i }));
    expect(query()).toEqual({ ...jobsQuery, jobIds: ['ftjob-99'] });
  });

  it('leave nothing behind when they are cleared', async () => {
    fakeGrafana(gateway);
    const { query } = await renderEditor({ ...jobsQuery, statuses: ['failed'] } as GpuCloudQuery);

    await choose('Status', /failed/);

    expect(JSON.parse(JSON.stringify(query()))).toEqual(jobsQuery);
  });

  it('choose format and range of jobs', async () => {
    fakeGrafana(gateway);
    const { query } = await renderEditor(jobsQuery);

    await userEvent.click(screen.getByRole('radio', { name: 'Timeline' }));
    await userEvent.click(screen.getByRole('switch', { name: /only in range/i }));

    expect(query()).toEqual({ ...jobsQuery, format: 'timeline', onlyInRange: false });
  });

  it.each(['fineTuningCurves', 'fineTuningEvents'] as const)(
    'choose jobs by status and model: %s',
    async (queryType) => {
      const { requests } = fakeGrafana(gateway, { model: 'meta/llama' });
      const saved: GpuCloudQuery = { refId: 'A', queryType, models: ['$model'] };
      const { query } = await renderEditor(saved);

      await choose('Status', /failed/);

      expect(query()).toEqual({ ...saved, statuses: ['failed'] });
      await lastValueFrom(createDataSource().query({ targets: [query()], range: lastHour, scopedVars: {} } as never));
      expect(requests.at(-1)?.data.queries[0]).toMatchObject({ statuses: ['failed'], models: ['meta/llama'] });
    }
  );
});

it('in a split Explore, a label toggles the switch of its own side', async () => {
  fakeGrafana(gateway);
  const left = await renderEditor(jobsQuery, { app: CoreApp.Explore });
  const right = await renderEditor(jobsQuery, { app: CoreApp.Explore });
  await waitFor(() => expect(screen.getAllByText('Only in range')).toHaveLength(2));

  await userEvent.click(screen.getAllByText('Only in range')[1]);

  expect(left.query()).not.toHaveProperty('onlyInRange');
  expect(right.query()).toMatchObject({ onlyInRange: false });
});

const lastHour: TimeRange = {
  from: dateTime(Date.now() - HOUR),
  to: dateTime(Date.now()),
  raw: { from: 'now-1h', to: 'now' },
};
