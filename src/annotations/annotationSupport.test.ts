import { firstValueFrom, lastValueFrom } from 'rxjs';
import { createDataSource, fakeGrafana, promql } from '../testing/grafana';

describe('annotations', () => {
  const frame = (values: number[]) => ({
    fields: [
      { name: 'Time', type: 'time', values: [1000, 2000], config: {} },
      { name: 'Value', type: 'number', values, config: {}, labels: { instance: 'node-1' } },
    ],
    length: 2,
  });

  it('read what an old Grafana saved', () => {
    fakeGrafana();
    expect(createDataSource().annotations!.prepareAnnotation!({ name: 'XID', expr: 'xid > 0', step: '2m' })).toEqual({
      name: 'XID',
      target: { refId: 'Anno', expr: 'xid > 0', interval: '2m' },
    });
  });

  it('leave queries of other types alone', () => {
    fakeGrafana();
    const saved = { name: 'Jobs', target: { refId: 'Anno', queryType: 'fineTuningAnnotations' } };
    expect(createDataSource().annotations!.prepareAnnotation!(saved)).toEqual(saved);
  });

  it('draw where the expression is above zero', async () => {
    fakeGrafana();
    const annotation = { name: 'XID', enable: true, iconColor: 'red', titleFormat: '{{instance}}', target: promql({}) };

    const events = await firstValueFrom(
      createDataSource().annotations!.processEvents!(annotation, [frame([0, 1]) as never])
    );

    expect(events).toEqual([expect.objectContaining({ time: 2000, timeEnd: 2000, title: 'node-1' })]);
  });

  it('complete when there is nothing to draw', async () => {
    fakeGrafana();
    const annotation = { name: 'XID', enable: true, iconColor: 'red', target: promql({}) };
    await expect(lastValueFrom(createDataSource().annotations!.processEvents!(annotation, []))).resolves.toEqual([]);
  });
});
