import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import { twoRuns } from '../testing/runs';

const renderEditor = (initial: object) => {
  fakeGrafana(twoRuns);
  return act(async () => renderQueryEditor(initial));
};

beforeEach(() => localStorage.clear());

describe('a text that is typed into a list of choices', () => {
  it.each(['{Enter}', '{Tab}'])('is chosen by %s', async (key) => {
    const { saved } = await renderEditor({ queryType: 'fineTuningJobs', jobIds: ['ftjob-1'] });

    await userEvent.click(await screen.findByRole('combobox', { name: 'Jobs' }));
    await userEvent.keyboard(`ftjob-2${key}`);

    expect(saved().jobIds).toEqual(['ftjob-1', 'ftjob-2']);
    expect(screen.getByRole('combobox', { name: 'Jobs' })).toHaveValue('');
  });
});

describe('arrow keys over the formats of a query', () => {
  it('run nothing until one is chosen', async () => {
    const { saved, onRunQuery } = await renderEditor({ queryType: 'fineTuningJobs' });

    act(() => screen.getByRole('radio', { name: 'Table' }).focus());
    await userEvent.keyboard('{ArrowRight}{ArrowRight}');
    expect(screen.getByRole('radio', { name: 'Timeline' })).toBeChecked();
    expect(onRunQuery).not.toHaveBeenCalled();

    await userEvent.keyboard('{Enter}');
    expect(saved()).toMatchObject({ format: 'timeline' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });
});

describe('arrow keys over what a comparison shows', () => {
  it('choose the last one when the choices are left, and nothing of those before', async () => {
    const comparison = {
      queryType: 'runComparison',
      source: { kind: 'fineTuning' },
      metric: 'train_loss',
      baseline: 'a',
    };
    const { saved, onRunQuery } = await renderEditor({ ...comparison, difference: true });

    act(() => screen.getByRole('radio', { name: 'Difference' }).focus());
    await userEvent.keyboard('{ArrowLeft}{Tab}');

    expect(saved()).not.toHaveProperty('difference');
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });
});

describe('arrow keys over the kinds of a query', () => {
  it('run nothing until one is chosen', async () => {
    const { saved, onRunQuery } = await renderEditor({ queryType: 'fineTuningJobs' });

    act(() => screen.getByRole('radio', { name: 'Fine-tuning' }).focus());
    await userEvent.keyboard('{ArrowRight}{ArrowRight}');
    expect(screen.getByRole('radio', { name: 'Training health' })).toBeChecked();
    expect(saved()).toEqual({ refId: 'A', queryType: 'fineTuningJobs' });
    expect(onRunQuery).not.toHaveBeenCalled();

    await userEvent.keyboard('{Enter}');
    expect(saved()).toMatchObject({ queryType: 'trainingHealth' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('choose the last one when the kinds are left', async () => {
    const { saved } = await renderEditor({ queryType: 'fineTuningJobs' });
    act(() => screen.getByRole('radio', { name: 'Fine-tuning' }).focus());
    await userEvent.keyboard('{ArrowRight}{Tab}');
    expect(saved()).toMatchObject({ queryType: 'runComparison' });
  });

  it('choose the last one when something else is clicked', async () => {
    const { saved } = await renderEditor({ queryType: 'fineTuningJobs' });
    act(() => screen.getByRole('radio', { name: 'Fine-tuning' }).focus());
    await userEvent.keyboard('{ArrowRight}');
    await userEvent.click(document.body);
    expect(saved()).toMatchObject({ queryType: 'runComparison' });
  });

  it('choose nothing when another one is clicked', async () => {
    const { saved, onRunQuery } = await renderEditor({ queryType: 'fineTuningJobs' });
    act(() => screen.getByRole('radio', { name: 'Fine-tuning' }).focus());
    await userEvent.keyboard('{ArrowRight}');
    await userEvent.click(screen.getByRole('radio', { name: 'Training health' }));
    expect(saved()).toMatchObject({ queryType: 'trainingHealth' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });
});
