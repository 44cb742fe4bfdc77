import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import { CONFIGURED, createDataSource, fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import { twoRuns } from '../testing/runs';
import { choose, pick, write } from '../testing/user';

// What people type must neither get lost nor come back once it is replaced.

const renderEditor = (initial: object, more: Parameters<typeof renderQueryEditor>[1] = {}) => {
  fakeGrafana(twoRuns);
  return act(async () => renderQueryEditor(initial, { settings: { ...CONFIGURED, projectId: 'p-1' }, ...more }));
};

const cell = (row: string, title: string | RegExp) =>
  within(screen.getByRole('group', { name: row })).getByRole('textbox', { name: title });

const manual = (...runs: object[]) => ({ queryType: 'runs', measures: ['energy'], source: { kind: 'manual', runs } });

beforeEach(() => localStorage.clear());

describe('a text that was replaced', () => {
  it('does not come back in another row', async () => {
    const { saved } = await renderEditor(manual());
    await userEvent.click(screen.getByRole('button', { name: 'Add run' }));
    await write(cell('run 1', 'Name'), 'a');
    await write(cell('run 1', 'From'), 'now-3d');
    await write(cell('run 1', /^To/), 'now-2d');
    await userEvent.click(screen.getByRole('button', { name: 'Add run' }));
    await write(cell('run 2', 'Name'), 'b');
    await write(cell('run 2', 'From'), 'now-1d');

    await userEvent.click(screen.getByRole('button', { name: 'Remove run 1' }));
    await userEvent.click(cell('run 1', /^To/));
    await userEvent.tab();

    expect(cell('run 1', /^To/)).toHaveValue('');
    expect(saved().source.runs).toEqual([{ name: 'b', from: 'now-1d', to: '' }]);
  });

  it('does not come back when a ready-made list is chosen again', async () => {
    const { saved } = await renderEditor({ queryType: 'platform', path: '' });
    await choose('Ready-made list', /^Quotas/);
    const { path } = saved();
    await write(screen.getByLabelText('Path'), '/v1/foo');
    expect(saved().path).toBe('/v1/foo');

    await choose('Ready-made list', /^Quotas/);

    expect(screen.getByLabelText('Path')).toHaveValue(path);
  });

  it('does not come back in a number', async () => {
    const { saved } = await renderEditor({ queryType: 'platform', path: '/v1/capacities' });
    await userEvent.click(screen.getByText('Options'));
    await write(screen.getByLabelText('Max pages'), '5');
    expect(saved().maxPages).toBe(5);

    await choose('Ready-made list', /^Quotas/);
    await userEvent.click(screen.getByLabelText('Max pages'));
    await userEvent.tab();

    expect(screen.getByLabelText('Max pages')).toHaveValue('');
    expect(saved().maxPages).toBeUndefined();
  });
});

it('a text that is no number stays, with what is wrong with it, and nothing is saved in the place of the number', async () => {
  const { saved } = await renderEditor({ queryType: 'platform', path: '/v1/capacities', maxPages: 5 });
  await userEvent.click(screen.getByText('Options'));
  await write(screen.getByLabelText('Max pages'), 'many');

  expect(screen.getByRole('alert')).toHaveTextContent('Enter a whole number from 1 to 100.');
  expect(screen.getByLabelText('Max pages')).toHaveValue('many');
  expect(saved().maxPages).toBe(5);
});

describe('rows', () => {
  it('in Explore keep what is typed into a new one', async () => {
    const { saved } = await renderEditor(manual({ name: 'a', from: 'now-3d', to: '' }), { app: CoreApp.Explore });

    await userEvent.click(screen.getByRole('button', { name: 'Add run' }));
    await userEvent.keyboard('b{Tab}now-1d{Tab}now{Tab}');

    expect(saved().source.runs).toEqual([
      { name: 'a', from: 'now-3d', to: '' },
      { name: 'b', from: 'now-1d', to: 'now' },
    ]);
  });

  it('stay while their first cell is typed anew', async () => {
    const { saved } = await renderEditor(manual({ name: 'a', from: 'now-3d', to: 'now-2d' }));

    await userEvent.clear(cell('run 1', 'Name'));
    await userEvent.tab();
    expect(saved().source.runs).toEqual([]);
    await write(cell('run 1', 'Name'), 'c');

    expect(saved().source.runs).toEqual([{ name: 'c', from: 'now-3d', to: 'now-2d' }]);
  });

  it('leave the focus on the button when one is removed', async () => {
    await renderEditor(manual({ name: 'a', from: 'now-3d', to: '' }));
    await userEvent.click(screen.getByRole('button', { name: 'Remove run 1' }));
    expect(screen.getByRole('button', { name: 'Add run' })).toHaveFocus();
  });
});

describe('a choice that is changed back has what was written for it', () => {
  it('among the types of fine-tuning, with the jobs that were chosen last', async () => {
    const jobs = { refId: 'A', queryType: 'fineTuningJobs', format: 'timeline', onlyInRange: false };
    const { saved } = await renderEditor({ ...jobs, statuses: ['failed'] });
    await pick('Show', 'Training files');
    expect(saved()).toEqual({ refId: 'A', queryType: 'trainingFiles' });
    await pick('Show', 'Jobs');
    expect(saved()).toEqual({ ...jobs, statuses: ['failed'] });
  });

  it('between capacities and lists', async () => {
    const list = { refId: 'A', queryType: 'platform', path: '/v1/foo', params: [{ name: 'a', value: 'b' }] };
    const { saved } = await renderEditor(list);
    await pick('Show', 'Capacities');
    await pick('Show', 'API list');
    expect(saved()).toEqual(list);
  });

  it('between curves and measures of runs', async () => {
    const curves = {
      refId: 'A',
      queryType: 'runComparison',
      source: { kind: 'fineTuning' },
      metric: 'valid_loss',
      axis: 'step',
    };
    const { saved } = await renderEditor(curves);
    await pick('Show', 'Measures');
    await pick('Show', 'Curves');
    expect(saved()).toEqual(curves);
  });

  it('between a training metric and PromQL', async () => {
    await renderEditor({ queryType: 'runComparison', source: { kind: 'fineTuning' }, metric: 'valid_loss' });
    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    await userEvent.type(screen.getByRole('textbox', { name: 'Expression' }), 'sum(x){Tab}');
    await userEvent.click(screen.getByRole('radio', { name: 'Training metric' }));
    expect(screen.getByRole('combobox', { name: 'Training metric' })).toHaveValue('valid_loss');
    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    expect(screen.getByRole('textbox', { name: 'Expression' })).toHaveValue('sum(x)');
  });

  it('between the sources of runs', async () => {
    const source = { kind: 'series', expr: 'my_loss', by: ['pod'] };
    const { saved } = await renderEditor({ refId: 'A', queryType: 'runs', source, runs: ['a'], baseline: 'a' });
    await pick('Runs from', 'Fine-tuning jobs');
    expect(saved()).toEqual({ refId: 'A', queryType: 'runs', source: { kind: 'fineTuning' } });
    await pick('Runs from', 'PromQL series');
    expect(saved()).toEqual({ refId: 'A', queryType: 'runs', source, runs: ['a'], baseline: 'a' });
  });
});

describe('a version 2 dashboard, which merges the saved query into a changed one,', () => {
  it('keeps no expression when training health is about jobs again', async () => {
    const { saved } = await renderEditor(
      { refId: 'A', queryType: 'trainingHealth', expr: 'my_loss' },
      { merging: true }
    );
    await pick('Runs from', 'Fine-tuning jobs');
    expect(saved()).toEqual({ refId: 'A', queryType: 'trainingHealth' });
  });

  it('keeps no runs and no baseline of another source', async () => {
    const query = { refId: 'A', queryType: 'runs', source: { kind: 'fineTuning' } };
    const { saved } = await renderEditor({ ...query, runs: ['a'], baseline: 'a' }, { merging: true });
    await pick('Runs from', 'By hand');
    expect(saved()).toEqual({ ...query, source: { kind: 'manual', runs: [] } });
  });

  it('keeps nothing of another service', async () => {
    const { saved } = await renderEditor({ refId: 'A', expr: 'up', range: true, legendFormat: 'x' }, { merging: true });
    await pick('Query', 'Main API');
    expect(saved()).toEqual({ refId: 'A', queryType: 'capacities' });
  });
});

it('saves nothing that has no field: a baseline takes what is shown beside it along', async () => {
  const jobs = { refId: 'A', queryType: 'runComparison', source: { kind: 'fineTuning' }, metric: 'train_loss' };
  const { saved } = await renderEditor({ ...jobs, baseline: 'ftjob-1', difference: true });
  await pick('Runs from', 'PromQL series');
  expect(saved()).toMatchObject({ source: { kind: 'series' } });
  expect(Object.keys(saved())).not.toEqual(expect.arrayContaining([expect.stringMatching(/baseline|difference/)]));
});
it('runs a query that is not complete yet, so that the result of the one before does not stay', async () => {
  const { onRunQuery } = await renderEditor({ refId: 'A', queryType: 'runs', source: { kind: 'fineTuning' } });
  await pick('Runs from', 'By hand');
  expect(onRunQuery).toHaveBeenCalledTimes(1);
});

it('takes a dashboard variable for a number', async () => {
  const { saved } = await renderEditor({ queryType: 'platform', path: '/v1/capacities' });
  await userEvent.click(screen.getByText('Options'));
  await write(screen.getByLabelText('Max pages'), '$pages');
  expect(saved().maxPages).toBe('$pages');
  expect(screen.queryByText(/Enter a number/)).not.toBeInTheDocument();

  fakeGrafana(undefined, { pages: '7' });
  expect(createDataSource().applyTemplateVariables(saved(), {})).toMatchObject({ maxPages: 7 });
});

it('drops the columns of a list with its path, and keeps them with other ids', async () => {
  const columns = [{ selector: 'name' }];
  const path = '/v1/projects/{projectId}/quotas';
  const { saved } = await renderEditor({ refId: 'A', queryType: 'platform', path, columns, timeColumn: 'at' });
  await write(screen.getByLabelText('Path'), '/v1/projects/p-2/quotas');
  expect(saved().columns).toEqual(columns);
  await write(screen.getByLabelText('Path'), '/v1/projects/p-2/disks');
  expect(saved()).toEqual({ refId: 'A', queryType: 'platform', path: '/v1/projects/p-2/disks' });
});

it('keeps what was written by hand for a path when the path is corrected', async () => {
  const list = { columns: [{ selector: 'name' }], params: [{ name: 'a', value: 'b' }], root: 'things' };
  const { saved } = await renderEditor({ refId: 'A', queryType: 'platform', path: '/v1/thing', ...list });
  await write(screen.getByLabelText('Path'), '/v1/things');
  expect(saved()).toEqual({ refId: 'A', queryType: 'platform', path: '/v1/things', ...list });
});

it('drops the parameters of a ready-made list with its path', async () => {
  const params = [{ name: 'a', value: 'b' }];
  const path = '/v1/projects/{projectId}/quotas';
  const { saved } = await renderEditor({ refId: 'A', queryType: 'platform', path, params });
  await write(screen.getByLabelText('Path'), '/v1/disks');
  expect(saved()).toEqual({ refId: 'A', queryType: 'platform', path: '/v1/disks' });
});
