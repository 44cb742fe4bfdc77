import React, { useState } from 'react';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createTheme, LoadingState, systemDateFormats, type AnnotationQuery, type PanelData } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { CONFIGURED, createDataSource, failing, fakeGrafana, range } from '../testing/grafana';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';

afterEach(() => jest.restoreAllMocks());

const columns: Record<string, unknown[]> = {
  time: [range.from.valueOf(), range.from.valueOf() + 60_000],
  timeEnd: [range.to.valueOf(), range.from.valueOf() + 60_000],
  title: ['Fine-tuning job R&amp;D', 'Checkpoint at step 10'],
  text: ['running', 'train_loss 1.2'],
  tags: ['running', 'running'],
  id: ['job:1', 'checkpoint:2'],
  color: ['blue', 'blue'],
};

/** A Grafana whose backend has two events, with other values in some columns if there are any. */
const respondWith = (changed: Record<string, unknown[]>) => {
  const all = { ...columns, ...changed };
  const frame = {
    schema: { refId: 'Anno', meta: {}, fields: Object.keys(all).map((name) => ({ name })) },
    data: { values: Object.values(all) },
  };
  return ({ url }: BackendSrvRequest) =>
    url.startsWith('/api/ds/query')
      ? { results: { Anno: { status: 200, frames: [frame] } } }
      : url.includes('/api/v1/')
        ? { status: 'success', data: [] }
        : [];
};

const respond = respondWith({});

/** The queries that were run. */
const queriesOf = (requests: BackendSrvRequest[]) =>
  requests.filter(({ url }) => url.startsWith('/api/ds/query')).map(({ data }) => data.queries[0]);

/** Shows the editor as Grafana's dashboard settings do, which keep the annotation, and returns a look at it. */
async function renderEditor(
  target: GpuCloudQuery,
  more: { data?: PanelData; iconColor?: string; settings?: GpuCloudOptions } = {}
): Promise<() => AnnotationQuery<GpuCloudQuery>> {
  const dataSource = createDataSource(more.settings ?? CONFIGURED);
  const Editor = dataSource.annotations!.QueryEditor!;
  let current: AnnotationQuery<GpuCloudQuery> = {
    name: 'XID',
    enable: true,
    iconColor: more.iconColor ?? 'red',
    target,
  };
  function Page() {
    const [annotation, setAnnotation] = useState(current);
    const onAnnotationChange = (changed: AnnotationQuery<GpuCloudQuery>) => {
      current = changed;
      setAnnotation(changed);
    };
    return (
      <Editor
        datasource={dataSource}
        range={range}
        data={more.data}
        // Grafana mixes its defaults for a new query into what is saved.
        query={{ ...dataSource.getDefaultQuery('dashboard' as never), ...annotation.target! } as GpuCloudQuery}
        annotation={annotation}
        onAnnotationChange={onAnnotationChange as never}
        onChange={(changed) => onAnnotationChange({ ...annotation, target: changed })}
        onRunQuery={() => {}}
      />
    );
  }
  await act(async () => {
    render(<Page />);
  });
  return () => current;
}

it('says of a query of a type that it does not know that it has no editor', async () => {
  fakeGrafana(respond);
  await renderEditor({ refId: 'Anno', queryType: 'somethingNew' });
  expect(await screen.findByText('Query type “somethingNew” has no editor')).toBeInTheDocument();
});

it('edits a PromQL annotation as Prometheus does', async () => {
  fakeGrafana(respond);
  const annotation = await renderEditor({ refId: 'Anno', expr: 'DCGM_FI_DEV_XID_ERRORS > 0' });

  expect(await screen.findByRole('radio', { name: 'PromQL' })).toBeChecked();
  await userEvent.type(await screen.findByPlaceholderText('{{alertname}}'), 'X');

  expect(annotation()).toMatchObject({ titleFormat: 'X' });
});

describe('a fine-tuning annotation', () => {
  const target: GpuCloudQuery = { refId: 'Anno', queryType: 'fineTuningAnnotations' };

  it('lists what it would draw, newest first', async () => {
    const { requests } = fakeGrafana(respond);
    await renderEditor(target);

    expect(await screen.findByText('2 events would be drawn in this range')).toBeInTheDocument();
    const [newest, oldest] = within(screen.getByRole('list', { name: 'What would be drawn' })).getAllByRole('listitem');
    expect(newest).toHaveTextContent('Checkpoint at step 10');
    expect(oldest).toHaveTextContent('Fine-tuning job R&D');
    expect(queriesOf(requests)).toEqual([expect.not.objectContaining({ expr: expect.anything() })]);
  });

  const [start, end] = [range.from.valueOf(), range.to.valueOf()];

  it.each([
    [
      'regions that reach into it included',
      { time: [start - 60_000, end + 1], timeEnd: [start + 1, end + 1] },
      ['1 event would be drawn in this range', 'Fine-tuning job R&D'],
    ],
    [
      'which may be nothing',
      { time: [start - 1, start - 1], timeEnd: [start - 1, start - 1] },
      ['Nothing would be drawn in this range'],
    ],
  ])('counts only what lies in the range, %s', async (_, changed, sentences) => {
    fakeGrafana(respondWith(changed));
    await renderEditor(target);

    for (const sentence of sentences) {
      expect(await screen.findByText(sentence)).toBeInTheDocument();
    }
    expect(screen.queryAllByRole('listitem')).toHaveLength(sentences.length - 1);
  });

  it.each([
    ['Asia/Tokyo', 'YYYY-MM-DD HH:mm:ss', '2026-01-01 09:01:00'],
    ['utc', 'DD.MM.YYYY HH:mm', '01.01.2026 00:01'],
  ])('has times in the time zone of a dashboard and the format of Grafana: %s, %s', async (timezone, format, time) => {
    fakeGrafana(respond);
    jest.replaceProperty(systemDateFormats, 'fullDate', format);
    const data = { state: LoadingState.Done, series: [], timeRange: range, request: { timezone } };
    await renderEditor(target, { data: data as unknown as PanelData });

    expect(await screen.findByText(time)).toBeInTheDocument();
  });

  it('has the colors that Grafana paints: the annotation’s where no state of an alert has the status’ own', async () => {
    fakeGrafana(respondWith({ color: ['blue', 'red'] }));
    await renderEditor(target, { iconColor: 'purple' });
    const { getColorByName } = createTheme().visualization;

    // What has the tags as its title is the swatch.
    const swatches = await screen.findAllByTitle('running');
    expect(swatches.map((swatch) => swatch.style.background)).toEqual(
      ['red', 'purple'].map((name) => cssColor(getColorByName(name)))
    );
  });

  it.each<[string, (request: BackendSrvRequest) => unknown]>([
    ['when its query fails', () => ({ results: { Anno: { status: 502, error: 'The gateway is down.' } } })],
    ['when the request fails as a whole', failing('The gateway is down.')],
  ])('says why nothing can be drawn: %s', async (_, fail) => {
    fakeGrafana((request) => (request.url.startsWith('/api/ds/query') ? fail(request) : []));
    await renderEditor(target);

    expect(await screen.findByText('The gateway is down.')).toBeInTheDocument();
    expect(screen.queryByText(/would be drawn/)).not.toBeInTheDocument();
  });

  it('can become PromQL, which leaves nothing behind, and comes back with what was typed', async () => {
    fakeGrafana(respond);
    const saved = { ...target, statuses: ['failed'] } as GpuCloudQuery;
    const annotation = await renderEditor(saved);

    await userEvent.click(await screen.findByRole('radio', { name: 'PromQL' }));
    expect(annotation().target).toEqual({ refId: 'Anno', expr: '' });
    // What is dropped is said, because Grafana keeps what is not in version 2.
    expect(Object.keys(annotation().target!)).toEqual(expect.arrayContaining(['queryType', 'statuses', 'expr']));

    await userEvent.click(screen.getByRole('radio', { name: 'Fine-tuning' }));
    expect(JSON.parse(JSON.stringify(annotation().target))).toEqual(saved);
  });

  it('is sent again when it is changed', async () => {
    const { requests } = fakeGrafana(respond);
    const annotation = await renderEditor(target);

    await userEvent.click(await screen.findByRole('combobox', { name: 'Show' }));
    await userEvent.click(await screen.findByRole('option', { name: /A point for each checkpoint/ }));
    expect(annotation().target).toEqual({ ...target, show: ['checkpoints'] });
    expect(queriesOf(requests).at(-1).show).toEqual(['checkpoints']);
  });
});

/** A color as the browser writes it. */
function cssColor(color: string): string {
  const { style } = document.createElement('span');
  style.background = color;
  return style.background;
}

it.each([
  [{ refId: 'Anno', queryType: 'fineTuningAnnotations' }, 'Fine-tuning'],
  [{ refId: 'Anno', expr: 'up' }, 'Metrics'],
  [{ refId: 'Anno', queryType: 'platform', path: '/v1/audit-logs' }, 'Main API'],
])('says once that the service of %j is not configured', async (target, service) => {
  const { requests } = fakeGrafana(respond);
  await renderEditor(target as GpuCloudQuery, { settings: {} });

  expect(screen.getByRole('alert', { name: `${service} is not configured` })).toBeInTheDocument();
  expect(screen.getAllByRole('alert')).toHaveLength(1);
  expect(requests).toEqual([]);
});

it.each([
  ['Runs', { queryType: 'runAnnotations', source: { kind: 'fineTuning' } }],
  ['Training health', { queryType: 'trainingHealth', format: 'annotations' }],
])('%s: lists what it would draw', async (kind, options) => {
  const { requests } = fakeGrafana(respond);
  const saved = await renderEditor({ refId: 'Anno', expr: '' });

  await userEvent.click(await screen.findByRole('radio', { name: kind }));

  expect(saved().target).toMatchObject(options);
  expect(screen.queryByRole('radiogroup', { name: 'Format' })).not.toBeInTheDocument();
  expect(await screen.findByText('2 events would be drawn in this range')).toBeInTheDocument();
  expect(queriesOf(requests).at(-1)).toMatchObject(options);
});

it('requests nothing until the source of runs is complete', async () => {
  const { requests } = fakeGrafana(respond);
  const saved = await renderEditor({ refId: 'Anno', queryType: 'runAnnotations', source: { kind: 'fineTuning' } });
  const choice = await screen.findByRole('radio', { name: 'PromQL series' });
  const before = queriesOf(requests).length;

  await userEvent.click(choice);

  expect(saved().target).toMatchObject({ source: { kind: 'series', expr: '', by: [] } });
  expect(queriesOf(requests)).toHaveLength(before);
});

describe('what was written by hand can be edited', () => {
  it('of jobs', async () => {
    fakeGrafana(respond);
    await renderEditor({ refId: 'Anno', queryType: 'fineTuningAnnotations', show: 'checkpoints' } as GpuCloudQuery);
    expect(await screen.findByText('Checkpoints')).toBeInTheDocument();
  });

  it('of a list', async () => {
    fakeGrafana(respond);
    const list = { path: '/v1/x', params: 'a=b', columns: 'name', root: 1, maxPages: '2' };
    const settings = { ...CONFIGURED, projectId: 'p-1' };
    await renderEditor({ refId: 'Anno', queryType: 'platform', ...list } as GpuCloudQuery, { settings });
    expect(await screen.findByLabelText('Path')).toHaveValue('/v1/x');
  });
});
