import React from 'react';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { CoreApp, type AnnotationQuery } from '@grafana/data';
import { QueryEditor } from '../query/QueryEditor';
import { CONFIGURED, createDataSource, fakeGrafana, range } from '../testing/grafana';
import type { GpuCloudQuery } from '../types';

// Dashboards that are written by hand have texts and numbers where lists and texts belong.

const SETTINGS = { ...CONFIGURED, projectId: 'p-1' };

const respond = ({ url }: { url: string }) => (url.startsWith('/api/ds/query') ? { results: {} } : []);

type Saved = Record<string, unknown>;

const list: Saved = { queryType: 'platform', path: '/v1/x', params: 'a=b', columns: 'name', root: 1, maxPages: '2' };

async function show(element: React.ReactElement) {
  await act(async () => {
    render(element);
  });
}

describe('a hand-written query', () => {
  const cases: Array<[name: string, saved: Saved, shown: string]> = [
    ['jobs of one status', { queryType: 'fineTuningJobs', statuses: 'failed' }, 'failed'],
    ['jobs of a model that is a number', { queryType: 'fineTuningJobs', models: 7 }, '7'],
    ['runs of one label', { queryType: 'runs', source: { kind: 'series', expr: 'x', by: 'pod' } }, 'pod'],
    ['runs of a source that is missing', { queryType: 'runs', measures: 'energy' }, 'Energy'],
    ['runs of a source of a later version', { queryType: 'runs', source: { kind: 'later' }, measures: 'idle' }, 'Idle'],
    ['capacities of one product', { queryType: 'capacities', productNames: 'a100.1x', locations: {} }, 'a100.1x'],
  ];

  const edit = (saved: Saved) => {
    fakeGrafana(respond);
    const query = { refId: 'A', ...saved } as unknown as GpuCloudQuery;
    const props = { datasource: createDataSource(SETTINGS), query, onChange: () => {}, onRunQuery: () => {} };
    return show(<QueryEditor app={CoreApp.PanelEditor} {...props} />);
  };

  it.each(cases)('can be edited: %s', async (_name, saved, shown) => {
    await edit(saved);
    expect(screen.getByText(shown)).toBeInTheDocument();
  });

  it('of a list can be edited', async () => {
    await edit(list);
    expect(screen.getByLabelText('Path')).toHaveValue('/v1/x');
    await userEvent.click(screen.getByText('Options'));
    expect(screen.getByLabelText('Max pages')).toHaveValue('2');
  });

  it('of a list without a path can be edited', async () => {
    await edit({ queryType: 'platform' });
    expect(screen.getByLabelText('Path')).toHaveValue('');
  });
});

describe('a hand-written annotation', () => {
  const edit = (target: Saved) => {
    fakeGrafana(respond);
    const dataSource = createDataSource(SETTINGS);
    const Editor = dataSource.annotations!.QueryEditor!;
    const query = { refId: 'Anno', ...target } as unknown as GpuCloudQuery;
    const annotation: AnnotationQuery<GpuCloudQuery> = { name: 'A', enable: true, iconColor: 'red', target: query };
    const props = { datasource: dataSource, query, annotation, range, onChange: () => {}, onRunQuery: () => {} };
    return show(<Editor {...props} />);
  };

  it('of jobs can be edited', async () => {
    await edit({ queryType: 'fineTuningAnnotations', show: 'checkpoints', statuses: 'failed' });
    expect(await screen.findByText('Checkpoints')).toBeInTheDocument();
    expect(screen.getByText('failed')).toBeInTheDocument();
  });

  it('of a list can be edited', async () => {
    await edit(list);
    expect(await screen.findByLabelText('Path')).toHaveValue('/v1/x');
  });
});
