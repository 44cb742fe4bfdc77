import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp } from '@grafana/data';
import { CONFIGURED, fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import type { GpuCloudQuery, MetricsQuery } from '../types';

const prometheusApi = ({ url }: { url: string }) => ({ status: 'success', data: url.endsWith('metadata') ? {} : [] });

// The editor remembers there which mode was chosen last, and whether to explain.
beforeEach(() => localStorage.clear());

/** Shows the editor, and returns a look at the query. */
const renderEditor = (
  initial: GpuCloudQuery,
  app = CoreApp.PanelEditor,
  settings = CONFIGURED
): (() => GpuCloudQuery) => renderQueryEditor(initial, { app, settings }).query;

const emptyQuery: MetricsQuery = { refId: 'A', expr: '' };

describe.each([CoreApp.PanelEditor, CoreApp.Explore, CoreApp.UnifiedAlerting])('in %s', (app) => {
  it('offers Prometheus’ builder and code editor', async () => {
    fakeGrafana(prometheusApi);
    renderEditor(emptyQuery, app);

    expect(await screen.findByRole('radio', { name: 'Builder' })).toBeChecked();
    expect(screen.getByRole('radio', { name: 'Code' })).toBeInTheDocument();
  });

  it('explains a query on demand', async () => {
    fakeGrafana(prometheusApi);
    renderEditor({ ...emptyQuery, expr: 'avg(DCGM_FI_DEV_GPU_UTIL)', editorMode: 'builder' } as MetricsQuery, app);

    await userEvent.click(await screen.findByRole('switch', { name: 'Explain' }));

    expect(await screen.findByText(/Calculates avg over the dimensions/i)).toBeInTheDocument();
  });
});

it('says what the chosen kind is about beside the picker, not in a tooltip over the next row', async () => {
  fakeGrafana(prometheusApi);
  renderEditor({ refId: 'A', queryType: 'capacities' });

  expect(screen.getByText(/What is available where/)).toBeInTheDocument();
  await userEvent.hover(screen.getByRole('radio', { name: 'Metrics' }));

  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  expect(screen.queryByText(/GPU, node, network and storage metrics/)).not.toBeInTheDocument();
});

it('remembers the editor that was chosen with the query', async () => {
  fakeGrafana(prometheusApi);
  const query = renderEditor(emptyQuery);

  await userEvent.click(await screen.findByRole('radio', { name: 'Code' }));

  expect(query()).toMatchObject({ editorMode: 'code' });
  expect(await screen.findByRole('textbox', { name: 'Code editor' })).toBeInTheDocument();
});

it('shows what a panel made for Prometheus was saved with', async () => {
  fakeGrafana(prometheusApi);
  renderEditor({
    ...emptyQuery,
    expr: 'up',
    legendFormat: '{{instance}}',
    interval: '2m',
    format: 'table',
    range: true,
  });

  expect(await screen.findByText(/Legend: \{\{instance\}\}/)).toBeInTheDocument();
  expect(screen.getByText(/Step: 2m/)).toBeInTheDocument();
  expect(screen.getByText(/Format: Table/)).toBeInTheDocument();
});

describe('a new PromQL query', () => {
  // As Grafana writes it into a new rule of a data source that isn't one of its own.
  const inNewRule: MetricsQuery = { ...emptyQuery, range: true, instant: false };

  it('is instant in an alert rule, as for Prometheus', async () => {
    fakeGrafana(prometheusApi);
    const query = renderEditor(inNewRule, CoreApp.UnifiedAlerting);
    expect(await screen.findByText(/Type: Instant/)).toBeInTheDocument();
    expect(query()).toMatchObject({ instant: true, range: false });
  });

  it('is instant in an alert rule after a change of kind', async () => {
    fakeGrafana(prometheusApi);
    const query = renderEditor({ refId: 'A', queryType: 'capacities' }, CoreApp.UnifiedAlerting);
    await userEvent.click(screen.getByRole('radio', { name: 'Metrics' }));
    expect(query()).toMatchObject({ instant: true, range: false });
  });

  it('stays as it is in a panel, and so does a saved range query in an alert rule', async () => {
    fakeGrafana(prometheusApi);
    expect(renderEditor(inNewRule)()).toBe(inNewRule);
    const saved = { ...inNewRule, expr: 'up' };
    expect(renderEditor(saved, CoreApp.UnifiedAlerting)()).toBe(saved);
  });
});

describe('a service that is not configured', () => {
  it.each([
    [{ refId: 'A', queryType: 'fineTuningJobs' }, {}, 'Fine-tuning', /Set the gateway address in the settings/],
    [{ refId: 'A', queryType: 'capacities' }, {}, 'Main API', /Set the base address and the access key id in/],
    [{ refId: 'A', queryType: 'capacities' }, { baseUrl: 'https://x' }, 'Main API', /Set the access key id in/],
    [emptyQuery, { baseUrl: 'https://x' }, 'Metrics', /Set the project id in the settings/],
  ])('is one box with a link to the settings: %j', (query, settings, service, sentence) => {
    const { requests } = fakeGrafana(prometheusApi);
    renderEditor(query, CoreApp.PanelEditor, settings);

    const box = screen.getByRole('alert', { name: `${service} is not configured` });
    expect(box).toHaveTextContent(sentence);
    expect(within(box).getByRole('link')).toHaveAttribute('href', '/connections/datasources/edit/gpucloud');
    expect(screen.getAllByRole('alert')).toHaveLength(1);
    expect(requests).toEqual([]);
  });
});

it.each([
  [CoreApp.PanelEditor, 'How to write queries', /query-editor\.md$/],
  [CoreApp.UnifiedAlerting, 'How to write alert rules', /alerting\.md$/],
])('links to the documentation in %s', (app, name, page) => {
  fakeGrafana(prometheusApi);
  renderEditor({ refId: 'A', queryType: 'capacities' }, app);
  expect(screen.getByRole('link', { name })).toHaveAttribute('href', expect.stringMatching(page));
});

it('leaves a query of another type alone, and says so', () => {
  const { requests } = fakeGrafana(prometheusApi);
  const saved = { refId: 'A', queryType: 'somethingNew', statuses: ['running'] };
  const query = renderEditor(saved);

  expect(screen.getByText(/query type “somethingNew” has no editor/i)).toBeInTheDocument();
  expect(query()).toBe(saved);
  expect(requests).toEqual([]);
});
