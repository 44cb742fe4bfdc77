import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import { CONFIGURED, fakeGrafana } from '../../testing/grafana';
import { renderQueryEditor } from '../../testing/queryEditor';
import { twoRuns } from '../../testing/runs';

const renderEditor = (initial: object, more: Parameters<typeof renderQueryEditor>[1] = {}) =>
  act(async () => renderQueryEditor(initial, more));

const health = { refId: 'A', queryType: 'trainingHealth' };

beforeEach(() => localStorage.clear());

describe('a new query about training health', () => {
  it('looks at fine-tuning jobs at once', async () => {
    fakeGrafana(twoRuns);
    const { query, onRunQuery } = await renderEditor({ refId: 'A', expr: 'up', range: true });

    await userEvent.click(screen.getByRole('radio', { name: 'Training health' }));

    expect(query()).toEqual(health);
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('looks at a usual metric where no gateway is configured', async () => {
    fakeGrafana(twoRuns);
    const { intelligenceUrl: _, ...settings } = CONFIGURED;
    const { query } = await renderEditor({ refId: 'A', expr: '' }, { settings });

    await userEvent.click(screen.getByRole('radio', { name: 'Training health' }));

    expect(query()).toEqual({ ...health, expr: 'training_loss{metrics_source="custom-metrics"}' });
  });

  it('is numbers of what is to be stopped in an alert rule', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor({ refId: 'A', expr: '' }, { app: CoreApp.UnifiedAlerting });

    await userEvent.click(screen.getByRole('radio', { name: 'Training health' }));

    expect(query()).toEqual({ ...health, format: 'number', findings: ['notFinite', 'diverging', 'stalled'] });
    expect(screen.queryByRole('radiogroup', { name: 'Format' })).not.toBeInTheDocument();
    expect(screen.getByRole('combobox', { name: 'Findings' })).toBeInTheDocument();
  });
});

describe('the source', () => {
  it('is PromQL of a usual metric at first, without what was chosen of jobs, which comes back with them', async () => {
    fakeGrafana(twoRuns);
    const jobs = { ...health, statuses: ['running'], metrics: ['train_loss'], format: 'eta' };
    const { saved, onRunQuery } = await renderEditor(jobs);

    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    expect(saved()).toEqual({ ...health, expr: 'training_loss{metrics_source="custom-metrics"}', format: 'eta' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);

    const field = screen.getByRole('textbox', { name: 'PromQL' });
    await userEvent.clear(field);
    await userEvent.paste('my_loss');
    await userEvent.tab();
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

    expect(screen.getByText(/Enter the metric to look at, such as training_loss/)).toBeInTheDocument();
    expect(saved()).toEqual({ ...health, expr: 'my_loss' });
    expect(onRunQuery).not.toHaveBeenCalled();
  });

  it('is jobs again without the expression', async () => {
    fakeGrafana(twoRuns);
    const { query } = await renderEditor({ ...health, expr: 'my_loss' });

    await userEvent.click(screen.getByRole('radio', { name: 'Fine-tuning jobs' }));

    expect(query()).toEqual(health);
  });

  it('that needs a service that is not configured says so, and leaves the choice of the other', async () => {
    fakeGrafana(twoRuns);
    const { intelligenceUrl: _, ...settings } = CONFIGURED;
    await renderEditor(health, { settings });

    expect(screen.getByText('Fine-tuning is not configured')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('radio', { name: 'PromQL' }));
    expect(screen.getByRole('textbox', { name: 'PromQL' })).toBeInTheDocument();
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
