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

it('edits a PromQL annotation as Prometheus does', async () => {
  fakeGrafana(respond);
  const annotation = await renderEditor({ refId: 'Anno', expr: 'DCGM_FI_DEV_XID_ERRORS > 0' });

  expect(await screen.findByRole('radio', { name: 'PromQL' })).toBeChecked();
  await userEvent.type(await screen.findByPlaceholderText('{{alertname}}'), 'X');

  expect(annotation()).toMatchObject({ titleFormat: 'X' });
});

it('takes a query of the catalog for a PromQL annotation', async () => {
  fakeGrafana(respond);
  const annotation = await renderEditor({ refId: 'Anno', expr: '' });

  await userEvent.click(await screen.findByRole('button', { name: 'Catalog' }));
  await userEvent.click(await screen.findByText('Utilization by node'));

  expect(annotation().target).toMatchObject({ refId: 'Anno', expr: expect.stringContaining('DCGM_FI_DEV_GPU_UTIL') });
  expect(screen.queryByText('Queries to start with, and what each metric means')).not.toBeInTheDocument();
});

it('gives the query back that a choice of the catalog has replaced', async () => {
  fakeGrafana(respond);
  const annotation = await renderEditor({ refId: 'Anno', expr: 'my_own > 0' });
  await userEvent.click(await screen.findByRole('button', { name: 'Catalog' }));
  await userEvent.click(await screen.findByText('Utilization by node'));

  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));

  expect(annotation().target).toMatchObject({ refId: 'Anno', expr: 'my_own > 0' });
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
    const queries = requests.filter(({ url }) => url.startsWith('/api/ds/query'));
    expect(queries).toHaveLength(1);
    expect(queries[0].data.queries[0]).not.toHaveProperty('expr');
  });

  it('counts only what lies in the range, regions that reach into it included', async () => {
    const [start, end] = [range.from.valueOf(), range.to.valueOf()];
    fakeGrafana(respondWith({ time: [start - 60_000, end + 1], timeEnd: [start + 1, end + 1] }));
    await renderEditor(target);

    expect(await screen.findByText('1 event would be drawn in this range')).toBeInTheDocument();
    expect(screen.getByText('1 event lies outside this range.')).toBeInTheDocument();
    expect(screen.getByRole('listitem')).toHaveTextContent('Fine-tuning job R&D');
  });

  it('says that nothing would be drawn where all lies outside the range', async () => {
    const before = range.from.valueOf() - 1;
    fakeGrafana(respondWith({ time: [before, before], timeEnd: [before, before] }));
    await renderEditor(target);

    expect(await screen.findByText('Nothing would be drawn in this range')).toBeInTheDocument();
    expect(screen.getByText('2 events lie outside this range.')).toBeInTheDocument();
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

  it('says why nothing can be drawn when the request fails as a whole', async () => {
    const gone = failing('Grafana gave up waiting.');
    fakeGrafana((request) => (request.url.startsWith('/api/ds/query') ? gone(request) : []));
    await renderEditor(target);

    expect(await screen.findByText('Grafana gave up waiting.')).toBeInTheDocument();
    expect(screen.queryByText(/would be drawn/)).not.toBeInTheDocument();
  });

  it('gives back what was typed when its kind is changed and changed back', async () => {
    fakeGrafana(respond);
    const saved = { ...target, statuses: ['failed'] } as GpuCloudQuery;
    const annotation = await renderEditor(saved);

    await userEvent.click(await screen.findByRole('radio', { name: 'PromQL' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Fine-tuning' }));

    expect(JSON.parse(JSON.stringify(annotation().target))).toEqual(saved);
  });

  it('says which options a change of kind drops, because Grafana keeps what is not said in version 2', async () => {
    fakeGrafana(respond);
    const annotation = await renderEditor({ ...target, statuses: ['failed'] } as GpuCloudQuery);

    await userEvent.click(await screen.findByRole('radio', { name: 'PromQL' }));

    expect(Object.keys(annotation().target!)).toEqual(expect.arrayContaining(['queryType', 'statuses', 'expr']));
  });

  it('is sent again when it is changed', async () => {
    const { requests } = fakeGrafana(respond);
    const annotation = await renderEditor(target);

    await userEvent.click(await screen.findByRole('combobox', { name: 'Show' }));
    await userEvent.click(await screen.findByRole('option', { name: /Status changes/ }));

    expect(annotation().target).toEqual({ ...target, show: ['statusChanges'] });
    const last = requests.filter(({ url }) => url.startsWith('/api/ds/query')).at(-1);
    expect(last?.data.queries[0].show).toEqual(['statusChanges']);
  });

  it('draws jobs as points or regions, and automatically unless something else is saved', async () => {
    const { requests } = fakeGrafana(respond);
    const annotation = await renderEditor(target);

    expect(await screen.findByRole('radio', { name: 'Automatic' })).toBeChecked();
    await userEvent.click(screen.getByRole('radio', { name: 'Regions' }));
    expect(annotation().target).toEqual({ ...target, draw: 'regions' });
    const last = requests.filter(({ url }) => url.startsWith('/api/ds/query')).at(-1);
    expect(last?.data.queries[0].draw).toBe('regions');

    await userEvent.click(screen.getByRole('radio', { name: 'Automatic' }));
    expect(annotation().target).toEqual(target);
  });

  it('says why nothing can be drawn', async () => {
    fakeGrafana(({ url }) =>
      url.startsWith('/api/ds/query') ? { results: { Anno: { status: 502, error: 'The gateway is down.' } } } : []
    );
    await renderEditor(target);

    expect(await screen.findByText('The gateway is down.')).toBeInTheDocument();
  });

  it('can become PromQL, and leaves nothing behind', async () => {
    fakeGrafana(respond);
    const annotation = await renderEditor({ ...target, statuses: ['failed'] } as GpuCloudQuery);

    await userEvent.click(await screen.findByRole('radio', { name: 'PromQL' }));

    expect(annotation().target).toEqual({ refId: 'Anno', expr: '' });
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

describe('an annotation of runs', () => {
  it('lists what it would draw of the runs of its source', async () => {
    const { requests } = fakeGrafana(respond);
    const saved = await renderEditor({ refId: 'Anno', expr: '' });

    await userEvent.click(await screen.findByRole('radio', { name: 'Runs' }));

    const source = { kind: 'fineTuning' };
    expect(saved().target).toMatchObject({ queryType: 'runAnnotations', source });
    expect(await screen.findByText('2 events would be drawn in this range')).toBeInTheDocument();
    const sent = requests.filter(({ url }) => url.startsWith('/api/ds/query')).map(({ data }) => data.queries[0]);
    expect(sent.at(-1)).toMatchObject({ queryType: 'runAnnotations', source });
  });

  it('requests nothing until its source is complete', async () => {
    const { requests } = fakeGrafana(respond);
    const saved = await renderEditor({ refId: 'Anno', queryType: 'runAnnotations', source: { kind: 'fineTuning' } });
    const choice = await screen.findByRole('radio', { name: 'PromQL series' });
    const before = requests.length;

    await userEvent.click(choice);

    expect(saved().target).toMatchObject({ source: { kind: 'series', expr: '', by: [] } });
    expect(requests.slice(before).filter(({ url }) => url.startsWith('/api/ds/query'))).toEqual([]);
  });
});

describe('an annotation of training health', () => {
  it('lists what it would draw, of the findings that are chosen', async () => {
    const { requests } = fakeGrafana(respond);
    const saved = await renderEditor({ refId: 'Anno', expr: '' });

    await userEvent.click(await screen.findByRole('radio', { name: 'Training health' }));

    expect(saved().target).toMatchObject({ queryType: 'trainingHealth', format: 'annotations' });
    expect(await screen.findByRole('combobox', { name: 'Findings' })).toBeInTheDocument();
    expect(screen.queryByRole('radiogroup', { name: 'Format' })).not.toBeInTheDocument();
    expect(await screen.findByText('2 events would be drawn in this range')).toBeInTheDocument();
    const sent = requests.filter(({ url }) => url.startsWith('/api/ds/query')).map(({ data }) => data.queries[0]);
    expect(sent.at(-1)).toMatchObject({ queryType: 'trainingHealth', format: 'annotations' });
  });
});
