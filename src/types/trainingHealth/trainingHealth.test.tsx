import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';
import { twoRuns } from '../../testing/runs';
import { write } from '../../testing/user';

const renderEditor = (initial: object) => act(async () => renderQueryEditor(initial));

const health = { refId: 'A', queryType: 'trainingHealth' };

beforeEach(() => localStorage.clear());

describe('the source', () => {
  it('is PromQL of a usual metric at first, without what was chosen of jobs, which comes back with them', async () => {
    fakeGrafana(twoRuns);
    const jobs = { ...health, statuses: ['running'], metrics: ['train_loss'], format: 'eta' };
    const { saved, onRunQuery } = await renderEditor(jobs);

    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    expect(saved()).toEqual({ ...health, expr: 'training_loss{metrics_source="custom-metrics"}', format: 'eta' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);

    await write(screen.getByRole('textbox', { name: 'PromQL' }), 'my_loss');
    expect(saved()).toEqual({ ...health, expr: 'my_loss', format: 'eta' });
    expect(screen.queryByRole('combobox', { name: 'Jobs' })).not.toBeInTheDocument();

    await userEvent.click(screen.getByRole('radio', { name: 'Fine-tuning jobs' }));
    expect(saved()).toEqual(jobs);
    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    expect(saved()).toEqual({ ...health, expr: 'my_loss', format: 'eta' });
  });

  it('is not all jobs when the expression is cleared', async () => {
    fakeGrafana(twoRuns);
    const { saved, onRunQuery } = await renderEditor({ ...health, expr: 'my_loss' });

    await userEvent.clear(screen.getByRole('textbox', { name: 'PromQL' }));
    await userEvent.tab();

    expect(saved()).toEqual({ ...health, expr: 'my_loss' });
    expect(onRunQuery).not.toHaveBeenCalled();
  });
});

describe('the format', () => {
  it('offers findings to choose for numbers alone, and forgets them with another', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor({ ...health, format: 'number', findings: ['late', 'eta'] });
    expect(screen.getByRole('combobox', { name: 'Findings' })).toBeInTheDocument();

    await userEvent.click(screen.getByRole('radio', { name: 'Estimated finish' }));

    expect(query()).toEqual({ ...health, format: 'eta' });
    expect(screen.queryByRole('combobox', { name: 'Findings' })).not.toBeInTheDocument();
  });
});
