import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { GpuCloudOptions, GpuCloudQuery } from '../types';
import { withMetricsDefaults } from '../metrics/defaults';
import { rangeUtil } from '@grafana/data';
import queries from '../../testdata/saved/queries.json';
import settings from '../../testdata/saved/settings.json';
import { readQuery } from './readQuery';
import { serviceOf } from '../queryTypes';

// The backend's tests read the same cases.

interface QueryCase {
  name: string;
  saved: GpuCloudQuery;
  kind: string;
  reads?: GpuCloudQuery;
}

const cases = queries.cases as unknown as QueryCase[];

describe('a saved query', () => {
  it.each(cases)('is run by the right service: $name', ({ saved, kind }) => {
    expect(serviceOf(saved) ?? 'unknown').toBe(kind);
  });

  it.each(cases)('reads as what it means: $name', ({ saved, reads = saved }) => {
    expect(readQuery(saved)).toEqual(reads);
  });

  it.each(cases.filter(({ kind }) => kind !== 'metrics'))('is sent as what it means: $name', ({ saved, reads }) => {
    fakeGrafana();
    const dataSource = createDataSource();
    const sent = (query: GpuCloudQuery) => JSON.stringify(dataSource.applyTemplateVariables(query, {}));

    expect(sent(saved)).toBe(sent(reads ?? saved));
  });
});

describe('saved settings', () => {
  it.each(settings.cases)('mean the same as in the backend: $name', ({ saved, seconds, httpMethod }) => {
    fakeGrafana();
    const jsonData = saved as unknown as GpuCloudOptions & { somethingNew?: unknown };
    const read = withMetricsDefaults(jsonData);

    expect(rangeUtil.intervalToSeconds(read.timeInterval!)).toBe(seconds);
    expect(read.httpMethod).toBe(httpMethod);
    // A setting that this version doesn't know is not lost.
    expect(read).toMatchObject(jsonData.somethingNew ? { somethingNew: jsonData.somethingNew } : {});
  });
});
