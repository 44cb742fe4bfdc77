import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { BackendSrvRequest } from '@grafana/runtime';
import { renderEditor } from '../testing/configEditor';
import { CONFIGURED, fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import type { GpuCloudOptions } from '../types';

const respond = ({ url }: BackendSrvRequest) =>
  url.includes('/resources/api/') ? { status: 'success', data: [] } : [];

beforeEach(() => localStorage.clear());

/** Shows the editor of a saved query, and returns a look at the query. */
async function renderQuery(saved: object) {
  fakeGrafana(respond);
  const settings = { ...CONFIGURED, projectId: 'p-1' };
  const { query } = await act(async () => renderQueryEditor(saved, { settings }));
  return query;
}

// What a later version of the plugin has saved must survive an older one's editors.
const later = { somethingNew: { nested: [1, 'two'] }, alsoNew: false };

describe('a change of one option keeps what this version does not know, in', () => {
  it.each([
    ['PromQL', { refId: 'A', expr: 'up', editorMode: 'builder' }, 'Code', { editorMode: 'code' }],
    ['fine-tuning jobs', { refId: 'A', queryType: 'fineTuningJobs' }, 'Timeline', { format: 'timeline' }],
    ['runs', { refId: 'A', queryType: 'runs', source: { kind: 'fineTuning' } }, 'Number', { format: 'number' }],
    ['capacities', { refId: 'A', queryType: 'capacities' }, 'Number', { format: 'number' }],
  ])('%s', async (_name, saved, choice, changed) => {
    const query = await renderQuery({ ...saved, ...later });

    await userEvent.click(await screen.findByRole('radio', { name: choice }));

    expect(query()).toMatchObject({ ...saved, ...changed, ...later });
  });

  it('settings', async () => {
    const jsonData = { projectId: 42, httpHeaderName1: 'X-Team', ...later } as GpuCloudOptions;
    const secureJsonFields = { monitoringToken: true, laterSecret: true };
    const saved = renderEditor({ jsonData, secureJsonFields });

    await userEvent.type(screen.getByLabelText(/^base address/i), 'https://api.example.com');
    await userEvent.tab();

    expect(saved().jsonData).toEqual({ ...jsonData, baseUrl: 'https://api.example.com' });
    expect(saved().secureJsonFields).toEqual(secureJsonFields);
    expect(saved().secureJsonData?.monitoringToken).toBeUndefined();
  });
});

// Dashboards that are written by hand have texts and numbers where lists and texts belong.
describe('what was written by hand can be edited:', () => {
  it.each<[string, object, string]>([
    ['jobs of one status', { queryType: 'fineTuningJobs', statuses: 'failed' }, 'failed'],
    ['jobs of a model that is a number', { queryType: 'fineTuningJobs', models: 7 }, '7'],
    ['runs of one label', { queryType: 'runs', source: { kind: 'series', expr: 'x', by: 'pod' } }, 'pod'],
    ['runs of a source that is missing', { queryType: 'runs', measures: 'energy' }, 'Energy'],
    ['runs of a source of a later version', { queryType: 'runs', source: { kind: 'later' }, measures: 'idle' }, 'Idle'],
    ['capacities of one product', { queryType: 'capacities', productNames: 'a100.1x', locations: {} }, 'a100.1x'],
  ])('%s', async (_name, saved, shown) => {
    await renderQuery(saved);
    expect(screen.getByText(shown)).toBeInTheDocument();
  });

  it('a list', async () => {
    const list = { path: '/v1/x', params: 'a=b', columns: 'name', root: 1, maxPages: '2' };
    await renderQuery({ queryType: 'platform', ...list });
    expect(screen.getByLabelText('Path')).toHaveValue('/v1/x');
    await userEvent.click(screen.getByText('Options'));
    expect(screen.getByLabelText('Max pages')).toHaveValue('2');
  });

  it('a list without a path', async () => {
    await renderQuery({ queryType: 'platform' });
    expect(screen.getByLabelText('Path')).toHaveValue('');
  });
});
