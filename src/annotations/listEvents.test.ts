import { lastValueFrom } from 'rxjs';
import { createDataFrame, FieldType } from '@grafana/data';
import { createDataSource, fakeGrafana } from '../testing/grafana';
import { listEvents } from './listEvents';

const time = (values: Array<number | null>, name = 'time') => ({ name, type: FieldType.time, values });
const text = (name: string, values: Array<string | null>) => ({ name, type: FieldType.string, values });

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
  const { events, notices } = listEvents([frame], 'blue');

  expect(notices).toEqual([]);
  expect(events).toMatchObject([
    { time: 1e12, timeEnd: 1e12, isRegion: false, title: 'created', text: 'by joan', tags: ['a', 'b'], color: 'blue' },
    { time: 2e12, timeEnd: 3e12, isRegion: true, title: 'started', text: '', tags: ['c', 'd'] },
  ]);
});

it('takes a column titled end for the end', () => {
  const frame = createDataFrame({ fields: [time([1e12]), time([2e12], 'end')] });
  expect(listEvents([frame], 'red').events).toMatchObject([{ timeEnd: 2e12 }]);
});

it('leaves out rows without a time, and says how many', () => {
  const frame = createDataFrame({ fields: [time([1e12, null, null]), text('title', ['a', 'b', 'c'])] });
  const { events, notices } = listEvents([frame], 'red');
  expect(events).toHaveLength(1);
  expect(notices).toEqual(['2 of 3 rows have no time and are left out.']);
});

it('says that no column is titled time', () => {
  const frame = createDataFrame({ fields: [time([1e12], 'created_at')] });
  expect(listEvents([frame], 'red').notices).toEqual([expect.stringMatching(/No column is titled time/)]);
});

it('reads times that were not said to be times', () => {
  const written = createDataFrame({ fields: [text('time', ['2026-01-01T00:00:00Z', 'soon'])] });
  const seconds = createDataFrame({ fields: [{ name: 'time', type: FieldType.number, values: [1767225600] }] });
  const events = listEvents([written, seconds], 'red').events;
  expect(events.map((event) => event.time)).toEqual([1767225600000, 1767225600000]);
});

it('shows titles and texts as they are, not as HTML', async () => {
  fakeGrafana();
  const frame = createDataFrame({ fields: [time([1e12]), text('title', ['<b>'])] });
  const target = { refId: 'Anno', queryType: 'platform', path: '/v1/x' };
  const annotation = { name: 'Log', enable: true, iconColor: 'red', target };

  const events = await lastValueFrom(createDataSource().annotations!.processEvents!(annotation, [frame]));

  expect(events).toMatchObject([{ title: '&lt;b&gt;', time: 1e12, timeEnd: 1e12 }]);
});
