import { defer } from 'rxjs';
import {
  CoreApp,
  dateTime,
  PluginType,
  type DataQueryRequest,
  type DataSourceInstanceSettings,
  type DataSourcePluginMeta,
  type TimeRange,
} from '@grafana/data';
import {
  setBackendSrv,
  setDataSourceSrv,
  setTemplateSrv,
  type BackendSrv,
  type BackendSrvRequest,
  type DataSourceSrv,
  type FetchError,
} from '@grafana/runtime';
import { DataSource } from '../datasource';
import pluginJson from '../plugin.json';
import type { GpuCloudOptions, GpuCloudQuery, MetricsQuery } from '../types';
import { VariablesTemplateSrv } from './templateSrv';

export const UID = 'gpucloud';

/** The plugin's id, written out: saved dashboards depend on it. */
export const TYPE = 'gpucloud-platform-datasource';

/** Six hours that are over. */
export const range: TimeRange = {
  from: dateTime('2026-01-01T00:00:00Z'),
  to: dateTime('2026-01-01T06:00:00Z'),
  raw: { from: 'now-6h', to: 'now' },
};

export const promql = (query: Partial<MetricsQuery>): MetricsQuery => ({
  refId: 'A',
  expr: 'up',
  range: true,
  ...query,
});

/** The request of a panel with these queries. */
export function panelRequest(targets: GpuCloudQuery[]): DataQueryRequest<GpuCloudQuery> {
  return {
    app: CoreApp.Dashboard,
    requestId: 'Q100',
    panelId: 7,
    interval: '60s',
    intervalMs: 60_000,
    maxDataPoints: 500,
    range,
    scopedVars: {},
    startTime: 0,
    targets,
    timezone: 'utc',
  };
}

/** What Grafana passes to the data source's constructor. */
export function instanceSettings(jsonData: GpuCloudOptions = {}): DataSourceInstanceSettings<GpuCloudOptions> {
  return {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- Grafana still passes it
    id: 1,
    uid: UID,
    type: pluginJson.id,
    name: 'GPU Cloud',
    access: 'proxy',
    readOnly: false,
    jsonData,
    meta: { ...pluginJson, type: PluginType.datasource, module: '', baseUrl: '' } as unknown as DataSourcePluginMeta,
  };
}

/** The values of dashboard variables by name; a list for those with several. */
type Variables = Record<string, string | string[]>;

interface FakeGrafana {
  /** Every HTTP request that left, in order. */
  requests: BackendSrvRequest[];
}

/**
 * Puts a Grafana around the data source: a backend that responds with `respond`, and dashboard variables.
 *
 * @param respond the body of the response to a request, or a promise of it; an empty object if it is missing
 * @param variables values by variable name
 */
export function fakeGrafana(
  respond: (request: BackendSrvRequest) => unknown = () => ({}),
  variables: Variables = {}
): FakeGrafana {
  const requests: BackendSrvRequest[] = [];
  const backend: Partial<BackendSrv> = {
    fetch: <T>(request: BackendSrvRequest) => {
      requests.push(request);
      return defer(async () => ({
        data: (await respond(request)) as T,
        status: 200,
        statusText: 'OK',
        ok: true,
        headers: new Headers(),
        redirected: false,
        type: 'basic' as const,
        url: request.url,
        config: request,
      }));
    },
  };
  setBackendSrv(backend as BackendSrv);
  setTemplateSrv(new VariablesTemplateSrv(variables));
  setDataSourceSrv({ getInstanceSettings: () => instanceSettings() } as unknown as DataSourceSrv);
  return { requests };
}

/** A response for `fakeGrafana`: the backend refuses every request, with a sentence for the user. */
export function failing(message: string): (request: BackendSrvRequest) => never {
  return (request) => {
    const error: FetchError = { status: 502, statusText: 'Bad Gateway', data: { message }, config: request };
    throw error;
  };
}

/** Settings with which no service lacks anything. */
export const CONFIGURED: GpuCloudOptions = {
  baseUrl: 'https://api.example.com',
  metricsUrl: 'https://api.example.com/metrics',
  intelligenceUrl: 'https://intelligence.example.com',
  accessKeyId: 'AK1234567890',
};

/** The data source as Grafana makes it, with all services configured. Call `fakeGrafana` first. */
export function createDataSource(jsonData = CONFIGURED): DataSource {
  return new DataSource(instanceSettings(jsonData));
}
