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

describe('arrow keys over choices', () => {
  const jobs = { queryType: 'fineTuningJobs' };

  /** Shows the editor, goes over some choices, and leaves the last one checked without a change. */
  async function pass(query: object, from: string, keys: string, to: string) {
    const editor = await renderEditor(query);
    act(() => screen.getByRole('radio', { name: from }).focus());
    await userEvent.keyboard(keys);
    expect(screen.getAllByRole('radio', { name: to }).at(-1)).toBeChecked();
    expect(editor.saved()).toEqual({ refId: 'A', ...query });
    expect(editor.onRunQuery).not.toHaveBeenCalled();
    return editor;
  }

  it.each([
    ['Enter', () => userEvent.keyboard('{Enter}')],
    ['the Tab key', () => userEvent.tab()],
    ['a click on something else', () => userEvent.click(document.body)],
  ])('run nothing until one is chosen by %s', async (_, choose) => {
    const { saved, onRunQuery } = await pass(jobs, 'Fine-tuning', '{ArrowRight}{ArrowRight}', 'Training health');
    await choose();
    expect(saved()).toMatchObject({ queryType: 'trainingHealth' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('choose nothing when another one is clicked', async () => {
    const { saved, onRunQuery } = await pass(jobs, 'Fine-tuning', '{ArrowRight}', 'Runs');
    await userEvent.click(screen.getByRole('radio', { name: 'Training health' }));
    expect(saved()).toMatchObject({ queryType: 'trainingHealth' });
    expect(onRunQuery).toHaveBeenCalledTimes(1);
  });

  it('can choose what is not saved', async () => {
    const source = { kind: 'fineTuning' };
    const compared = { queryType: 'runComparison', source, metric: 'train_loss', baseline: 'a', difference: true };
    const { saved } = await pass(compared, 'Difference', '{ArrowLeft}', 'Curves');
    await userEvent.tab();
    expect(saved()).not.toHaveProperty('difference');
  });
});
