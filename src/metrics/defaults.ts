import type { GpuCloudOptions } from '../types';

/** The platform collects most families every 60 s, so `rate()` over a shorter window would be empty. */
export const DEFAULT_SCRAPE_INTERVAL = '60s';

/** The platform documents GET only. */
export const DEFAULT_HTTP_METHOD = 'GET';

/** Fills in what the platform needs and Prometheus has other defaults for. What the user has set wins. */
export function withMetricsDefaults(jsonData: GpuCloudOptions): GpuCloudOptions {
  return {
    ...jsonData,
    httpMethod: jsonData.httpMethod?.toUpperCase() || DEFAULT_HTTP_METHOD,
    timeInterval: withUnit(jsonData.timeInterval) || DEFAULT_SCRAPE_INTERVAL,
  };
}

/** A number without a unit is of seconds, also where provisioning made a number of the text. */
function withUnit(interval: string | number | undefined): string {
  const text = String(interval ?? '');
  return /^\d+$/.test(text) ? `${text}s` : text;
}
