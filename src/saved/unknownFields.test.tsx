import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { BackendSrvRequest } from '@grafana/runtime';
import { renderEditor } from '../testing/configEditor';
import { fakeGrafana } from '../testing/grafana';
import { renderQueryEditor } from '../testing/queryEditor';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';

// What a later version of the plugin has saved must survive an older one's editors.
const later = { somethingNew: { nested: [1, 'two'] }, alsoNew: false };

const respond = ({ url }: BackendSrvRequest) =>
  url.includes('/resources/api/') ? { status: 'success', data: [] } : [];

beforeEach(() => localStorage.clear());

/** Shows the editor, and returns a look at the query. */
async function renderQuery(initial: object): Promise<() => GpuCloudQuery> {
  fakeGrafana(respond);
  const { query } = await act(async () => renderQueryEditor(initial));
  return query;
}

describe('a change of one option keeps what this version does not know, in', () => {
  const cases: Array<[name: string, saved: object, choice: string, changed: object]> = [
    ['PromQL', { refId: 'A', expr: 'up', editorMode: 'builder' }, 'Code', { editorMode: 'code' }],
    ['fine-tuning jobs', { refId: 'A', queryType: 'fineTuningJobs' }, 'Timeline', { format: 'timeline' }],
    ['runs', { refId: 'A', queryType: 'runs', source: { kind: 'fineTuning' } }, 'Number', { format: 'number' }],
    ['capacities', { refId: 'A', queryType: 'capacities' }, 'Number', { format: 'number' }],
  ];

  it.each(cases)('%s', async (_name, saved, choice, changed) => {
    const query = await renderQuery({ ...saved, ...later });

    await userEvent.click(await screen.findByRole('radio', { name: choice }));

    expect(query()).toMatchObject({ ...saved, ...changed, ...later });
  });
});

it('a change of one setting keeps the others, also those that this version does not know', async () => {
  const jsonData = { projectId: 42, httpHeaderName1: 'X-Team', ...later } as GpuCloudOptions;
  const secureJsonFields = { monitoringToken: true, laterSecret: true };
  const saved = renderEditor({ jsonData, secureJsonFields });

  await userEvent.type(screen.getByLabelText(/^base address/i), 'https://api.example.com');

  expect(saved().jsonData).toEqual({ ...jsonData, baseUrl: 'https://api.example.com' });
  expect(saved().secureJsonFields).toEqual(secureJsonFields);
});
