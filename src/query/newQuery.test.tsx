import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import { CONFIGURED, fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import { twoRuns } from '../testing/runs';

const SETTINGS = { ...CONFIGURED, projectId: 'p-1' };
const { intelligenceUrl, ...NO_GATEWAY } = SETTINGS;
const { accessKeyId, ...NO_KEY } = SETTINGS;

/** Shows the editor of a PromQL query, and makes choices one after the other. */
async function choose(choices: string, { app = CoreApp.PanelEditor, settings = SETTINGS as typeof CONFIGURED } = {}) {
  fakeGrafana(twoRuns);
  const editor = await act(async () => renderQueryEditor({ expr: 'up', range: true }, { app, settings }));
  for (const name of choices.split(', ')) {
    await userEvent.click(screen.getByRole('radio', { name }));
  }
  return editor;
}

beforeEach(() => localStorage.clear());

const jobs = { source: { kind: 'fineTuning' } };
const quotas = { queryType: 'platform', path: '/v1/projects/{projectId}/quotas' };
const usualLoss = { queryType: 'trainingHealth', expr: 'training_loss{metrics_source="custom-metrics"}' };

describe('a new query has a result at once:', () => {
  it.each([
    ['Fine-tuning', SETTINGS, { queryType: 'fineTuningJobs' }],
    ['Runs', SETTINGS, { queryType: 'runComparison', ...jobs, metric: 'train_loss', axis: 'rebased' }],
    ['Training health', SETTINGS, { queryType: 'trainingHealth' }],
    ['Training health', NO_GATEWAY, usualLoss],
    ['Main API', SETTINGS, { queryType: 'capacities' }],
    ['Main API', NO_KEY, { queryType: 'placement', gpus: '8' }],
    ['Main API, Placement', SETTINGS, { queryType: 'placement', gpus: '8' }],
    [
      'Main API, API list',
      SETTINGS,
      { ...quotas, columns: expect.arrayContaining([{ selector: 'name', type: 'string' }]) },
    ],
  ])('%s', async (choices, settings, expected) => {
    const { saved, onRunQuery } = await choose(choices, { settings });

    expect(saved()).toEqual({ refId: 'A', ...expected });
    expect(onRunQuery).toHaveBeenCalledTimes(choices.split(', ').length);
  });

  it('but runs without a gateway, which lack their series', async () => {
    const { saved } = await choose('Runs', { settings: NO_GATEWAY });

    expect(saved()).toMatchObject({ source: { kind: 'series', expr: '', by: [] } });
  });
});

describe('a new query in an alert rule is numbers:', () => {
  it.each([
    ['Runs', { queryType: 'runs', ...jobs, format: 'number', measures: ['gpu_hours'] }],
    [
      'Training health',
      { queryType: 'trainingHealth', format: 'number', findings: ['notFinite', 'diverging', 'stalled'] },
    ],
    ['Main API', { queryType: 'capacities', format: 'number' }],
    ['Main API, Placement', { queryType: 'placement', gpus: '8', format: 'number' }],
    [
      'Main API, API list',
      {
        ...quotas,
        columns: [
          { selector: 'name', type: 'string' },
          { selector: 'location', type: 'string' },
          { selector: 'used', type: 'number' },
        ],
      },
    ],
  ])('%s', async (choices, expected) => {
    const { saved } = await choose(choices, { app: CoreApp.UnifiedAlerting });

    expect(saved()).toEqual({ refId: 'A', ...expected });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    // What is no number, or has nothing to do with it, is not offered.
    for (const name of ['Curves', 'Events', 'Table']) {
      expect(screen.queryByRole('radio', { name })).not.toBeInTheDocument();
    }
    expect(screen.queryByRole('radiogroup', { name: 'Format' })).not.toBeInTheDocument();
    expect(screen.queryByLabelText('GPUs wanted')).not.toBeInTheDocument();
  });
});

describe('a service that is not configured', () => {
  it.each([
    ['Runs, Fine-tuning jobs', 'PromQL series'],
    ['Training health, Fine-tuning jobs', 'PromQL'],
  ])('is said of what needs it, and leaves the choice of something else: %s', async (choices, other) => {
    await choose(choices, { settings: NO_GATEWAY });
    expect(screen.getByRole('alert', { name: 'Fine-tuning is not configured' })).toBeInTheDocument();

    await userEvent.click(screen.getByRole('radio', { name: other }));

    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('leaves placements, which need none', async () => {
    await choose('Main API, Capacities', { settings: NO_KEY });
    expect(screen.getByRole('alert', { name: 'Main API is not configured' })).toBeInTheDocument();
  });
});
