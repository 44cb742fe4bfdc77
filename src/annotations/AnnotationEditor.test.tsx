import React, { useState } from 'react';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { AnnotationQuery } from '@grafana/data';
import type { BackendSrvRequest } from '@grafana/runtime';
import { createDataSource, fakeGrafana, range } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

const GATEWAY = { intelligenceUrl: 'https://intelligence.example.com' };

const columns: Record<string, unknown[]> = {
  time: [range.from.valueOf(), range.from.valueOf() + 60_000],
  timeEnd: [range.to.valueOf(), range.from.valueOf() + 60_000],
  title: ['Fine-tuning job R&amp;D', 'Checkpoint at step 10'],
  text: ['running', 'train_loss 1.2'],
  tags: ['running', 'running'],
  id: ['job:1', 'checkpoint:2'],
  color: ['blue', 'blue'],
};

const frame = {
  schema: { refId: 'Anno', meta: {}, fields: Object.keys(columns).map((name) => ({ name })) },
  data: { values: Object.values(columns) },
};

const answer = ({ url }: BackendSrvRequest) =>
  url.startsWith('/api/ds/query')
    ? { results: { Anno: { status: 200, frames: [frame] } } }
    : url.includes('/api/v1/')
      ? { status: 'success', data: [] }
      : [];

/** Shows the editor as Grafana's dashboard settings do, which keep the annotation, and returns a look at it. */
async function renderEditor(target: GpuCloudQuery): Promise<() => AnnotationQuery<GpuCloudQuery>> {
  const dataSource = createDataSource(GATEWAY);
  const Editor = dataSource.annotations!.QueryEditor!;
  let current: AnnotationQuery<GpuCloudQuery> = { name: 'XID', enable: true, iconColor: 'red', target };
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
  fakeGrafana(answer);
  const annotation = await renderEditor({ refId: 'Anno', expr: 'DCGM_FI_DEV_XID_ERRORS > 0' });

  expect(await screen.findByRole('radio', { name: 'PromQL' })).toBeChecked();
  await userEvent.type(await screen.findByPlaceholderText('{{alertname}}'), 'X');

  expect(annotation()).toMatchObject({ titleFormat: 'X' });
});

describe('a fine-tuning annotation', () => {
  const target: GpuCloudQuery = { refId: 'Anno', queryType: 'fineTuningAnnotations' };

  it('lists what it would draw, newest first', async () => {
    const { requests } = fakeGrafana(answer);
    await renderEditor(target);

    expect(await screen.findByText('2 events would be drawn in this range')).toBeInTheDocument();
    const [newest, oldest] = within(screen.getByRole('list', { name: 'What would be drawn' })).getAllByRole('listitem');
    expect(newest).toHaveTextContent('Checkpoint at step 10');
    expect(oldest).toHaveTextContent('Fine-tuning job R&D');
    const asked = requests.filter(({ url }) => url.startsWith('/api/ds/query'));
    expect(asked).toHaveLength(1);
    expect(asked[0].data.queries[0]).not.toHaveProperty('expr');
  });

  it('is asked again when it is changed', async () => {
    const { requests } = fakeGrafana(answer);
    const annotation = await renderEditor(target);

    await userEvent.click(await screen.findByRole('combobox', { name: 'Show' }));
    await userEvent.click(await screen.findByRole('option', { name: /Status changes/ }));

    expect(annotation().target).toEqual({ ...target, show: ['statusChanges'] });
    const last = requests.filter(({ url }) => url.startsWith('/api/ds/query')).at(-1);
    expect(last?.data.queries[0].show).toEqual(['statusChanges']);
  });

  it('says why nothing can be drawn', async () => {
    fakeGrafana(({ url }) =>
      url.startsWith('/api/ds/query') ? { results: { Anno: { status: 502, error: 'The gateway is down.' } } } : []
    );
    await renderEditor(target);

    expect(await screen.findByText('The gateway is down.')).toBeInTheDocument();
  });

  it('can become PromQL, and leaves nothing behind', async () => {
    fakeGrafana(answer);
    const annotation = await renderEditor({ ...target, statuses: ['failed'] } as GpuCloudQuery);

    await userEvent.click(await screen.findByRole('radio', { name: 'PromQL' }));

    expect(annotation().target).toEqual({ refId: 'Anno', expr: '' });
  });
});
