import { lastValueFrom } from 'rxjs';
import { createDataFrame, FieldType } from '@grafana/data';
import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { ListQuery } from '../types/list/query';
import { eventsOf } from './events';

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
