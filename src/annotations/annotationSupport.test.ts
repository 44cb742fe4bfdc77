import { firstValueFrom, lastValueFrom } from 'rxjs';
import { createDataFrame, createTheme, FieldType } from '@grafana/data';
import { createDataSource, fakeGrafana, promql } from '../testing/grafana';
import type { ListQuery } from '../types/list/query';
import { eventsOf } from './events';

const GATEWAY = { intelligenceUrl: 'https://intelligence.example.com' };

/** Annotation support as Grafana uses it. */
function annotations(settings = {}) {
  fakeGrafana();
  return createDataSource(settings).annotations!;
}

describe('a PromQL annotation', () => {
  const frame = (values: number[]) => ({
    fields: [
      { name: 'Time', type: 'time', values: [1000, 2000], config: {} },
      { name: 'Value', type: 'number', values, config: {}, labels: { instance: 'node-1' } },
    ],
    length: 2,
  });

  it.each([{}, GATEWAY])('reads what an old Grafana saved', (settings) => {
    expect(annotations(settings).prepareAnnotation!({ name: 'XID', expr: 'xid > 0', step: '2m' })).toEqual({
      name: 'XID',
      target: { refId: 'Anno', expr: 'xid > 0', interval: '2m' },
    });
  });

  it('that Prometheus saved stays as it is, even if it is empty', () => {
    const saved = { name: 'XID', target: { refId: 'Anno', expr: '', interval: '' } };
    expect(annotations(GATEWAY).prepareAnnotation!(saved)).toBe(saved);
  });

  it('is drawn where the expression is above zero', async () => {
    const annotation = { name: 'XID', enable: true, iconColor: 'red', titleFormat: '{{instance}}', target: promql({}) };

    const events = await firstValueFrom(annotations().processEvents!(annotation, [frame([0, 1]) as never]));

    expect(events).toEqual([expect.objectContaining({ time: 2000, timeEnd: 2000, title: 'node-1' })]);
  });

  it('is a region where samples above zero follow each other, and nothing below zero', async () => {
    const annotation = { name: 'XID', enable: true, iconColor: 'red', target: promql({}) };
    const samples = [
      [0, -1],
      [60_000, 2],
      [120_000, 3],
      [180_000, -2],
      [240_000, NaN],
      [600_000, 1],
    ];
    const series = {
      meta: { executedQueryString: 'Expr: xid\nStep: 1m0s' },
      fields: [
        { name: 'Time', type: 'time', values: samples.map(([time]) => time), config: {} },
        { name: 'Value', type: 'number', values: samples.map(([, value]) => value), config: {}, labels: {} },
      ],
      length: samples.length,
    };

    const events = await firstValueFrom(annotations().processEvents!(annotation, [series as never]));

    expect(events?.map(({ time, timeEnd }) => [time, timeEnd])).toEqual([
      [60_000, 120_000],
      [600_000, 600_000],
    ]);
  });

  it('completes when there is nothing to draw', async () => {
    const annotation = { name: 'XID', enable: true, iconColor: 'red', target: promql({}) };
    await expect(lastValueFrom(annotations().processEvents!(annotation, []))).resolves.toEqual([]);
  });
});

describe('a new annotation', () => {
  it.each([{ name: 'New' }, { name: 'New', target: { refId: 'A', datasource: { uid: 'gpucloud' } } }])(
    'shows jobs and checkpoints, running ones in blue',
    (saved) => {
      expect(annotations(GATEWAY).prepareAnnotation!(saved)).toMatchObject({
        name: 'New',
        iconColor: 'blue',
        target: { queryType: 'fineTuningAnnotations', show: ['jobs', 'checkpoints'] },
      });
    }
  );

  it('is PromQL if there is no gateway', () => {
    expect(annotations().prepareAnnotation!({ name: 'New' })).toMatchObject({ target: { expr: '' } });
  });
});

describe('a fine-tuning annotation', () => {
  const saved = {
    name: 'Jobs',
    enable: true,
    iconColor: 'red',
    target: { refId: 'Anno', queryType: 'fineTuningAnnotations' },
  };

  const frame = {
    fields: [
      { name: 'time', values: [1000, 2000] },
      { name: 'timeEnd', values: [5000, 2000] },
      { name: 'title', values: ['Fine-tuning job bot', 'Checkpoint at step 10'] },
      { name: 'text', values: ['running', 'train_loss 1.2'] },
      { name: 'tags', values: ['running,llama', ''] },
      { name: 'id', values: ['job:1', 'checkpoint:2'] },
      { name: 'color', values: ['blue', 'gray'] },
    ],
    length: 2,
  };

  it('stays the same object, because Grafana prepares it until it does', () => {
    expect(annotations(GATEWAY).prepareAnnotation!(saved)).toBe(saved);
  });

  it('becomes regions and points in the colors that Grafana paints', async () => {
    const events = await lastValueFrom(annotations(GATEWAY).processEvents!(saved, [frame as never]));
    const { getColorByName } = createTheme().visualization;

    expect(events).toEqual([
      {
        time: 1000,
        timeEnd: 5000,
        isRegion: true,
        title: 'Fine-tuning job bot',
        text: 'running',
        tags: ['running', 'llama'],
        id: 'job:1',
        // No state of an alert is blue, so it is the annotation's.
        color: getColorByName('red'),
      },
      expect.objectContaining({ time: 2000, timeEnd: 2000, isRegion: false, tags: [], color: getColorByName('gray') }),
    ]);
  });

  it.each([
    ['green', 'ok'],
    ['red', 'alerting'],
    ['yellow', 'pending'],
    ['gray', 'no_data'],
    ['blue', undefined],
    ['orange', undefined],
  ])('painted %s has the state that Grafana paints so', async (color, newState) => {
    const painted = { ...frame, fields: [...frame.fields.slice(0, -1), { name: 'color', values: [color, color] }] };
    const [event] = (await lastValueFrom(annotations(GATEWAY).processEvents!(saved, [painted as never]))) ?? [];
    expect(event.newState).toBe(newState);
  });

  it('is nothing where a query of another type is saved', async () => {
    const other = { ...saved, target: { refId: 'Anno', queryType: 'fineTuningJobs' } };
    const jobs = { fields: [{ name: 'job_id', values: ['ftjob-1'] }], length: 1 };
    const events = annotations(GATEWAY).processEvents!(other, [jobs as never]);
    await expect(lastValueFrom(events)).resolves.toEqual([]);
  });

  it('is nothing for an empty result', async () => {
    await expect(lastValueFrom(annotations(GATEWAY).processEvents!(saved, []))).resolves.toEqual([]);
  });
});

describe('rows of a list', () => {
  const time = (values: Array<number | null>, name = 'time') => ({ name, type: FieldType.time, values });
  const target: ListQuery = { refId: 'Anno', queryType: 'platform', path: '/v1/x' };
  const text = (name: string, values: Array<string | null>) => ({ name, type: FieldType.string, values });

  beforeEach(() => fakeGrafana());

  it('makes an event of each row, with an end even where the row has none', () => {
    const frame = createDataFrame({
      fields: [
        time([1e12, 2e12]),
        time([null, 3e12], 'timeEnd'),
        text('title', ['created', 'started']),
        text('text', ['by joan', null]),
        text('tags', ['a, b', '["c","d"]']),
      ],
    });
    const { events, notices } = eventsOf(target, [frame], 'blue');

    expect(notices).toEqual([]);
    expect(events).toMatchObject([
      { time: 1e12, timeEnd: 1e12, isRegion: false, title: 'created', text: 'by joan', tags: ['a', 'b'] },
      { time: 2e12, timeEnd: 3e12, isRegion: true, title: 'started', text: '', tags: ['c', 'd'] },
    ]);
  });

  it('leaves out rows without a time, and says how many', () => {
    const frame = createDataFrame({ fields: [time([1e12, null, null]), text('title', ['a', 'b', 'c'])] });
    const { events, notices } = eventsOf(target, [frame], 'red');
    expect(events).toHaveLength(1);
    expect(notices).toEqual(['2 of 3 rows have no time and are left out.']);
  });

  it.each([time([1e12], 'created_at'), text('time', ['2026-01-01T00:00:00Z'])])(
    'says that no column of the type time is titled time: %j',
    (field) => {
      const frame = createDataFrame({ fields: [field] });
      expect(eventsOf(target, [frame], 'red').notices).toEqual([
        expect.stringMatching(/No column of the type time is titled time/),
      ]);
    }
  );

  it('shows titles and texts as they are, not as HTML', async () => {
    const frame = createDataFrame({ fields: [time([1e12]), text('title', ['<b>'])] });
    const annotation = { name: 'Log', enable: true, iconColor: 'red', target };

    const events = await lastValueFrom(createDataSource().annotations!.processEvents!(annotation, [frame]));

    expect(events).toMatchObject([{ title: '&lt;b&gt;', time: 1e12, timeEnd: 1e12 }]);
  });
});
