import { useEffect } from 'react';
import useObservable from 'react-use/lib/useObservable';
import { BehaviorSubject } from 'rxjs';
import type { TestDataSourceResponse } from '@grafana/data';
import { HealthCheckError, type HealthCheckResult } from '@grafana/runtime';
import { t } from '../i18n';

/** What the backend found out about one service. */
export interface ServiceResult {
  service: string;
  ok: boolean;
  configured: boolean;
  message: string;
  /** True if the platform refused the credential. */
  refused?: boolean;
}

/**
 * The last test of each data source that is on a settings page, by uid. Grafana shows the result of a test in one line
 * of one color: so the settings page has a line for each service, and Grafana's box only names those that failed.
 */
const results = new BehaviorSubject<Record<string, ServiceResult[] | undefined>>({});

const publish = (uid: string, result?: ServiceResult[]) => results.next({ ...results.value, [uid]: result });

/** The last test of a data source since its settings page was opened. */
export function useTestResult(uid: string): ServiceResult[] | undefined {
  useEffect(() => () => publish(uid), [uid]);
  return useObservable(results, results.value)[uid];
}

/**
 * Tests a data source for Grafana's settings page.
 *
 * @param check requests it from the backend; it resolves to nothing if Grafana can't be reached
 * @returns what Grafana shows on success; a failure is thrown, as Grafana expects
 */
export async function testServices(
  uid: string,
  check: () => Promise<HealthCheckResult | undefined>
): Promise<TestDataSourceResponse> {
  publish(uid);
  const result = await check();
  const services = (result?.details as { services?: ServiceResult[] } | undefined)?.services;
  publish(uid, services);
  if (!result || result.status !== 'OK') {
    const message = services ? failure(services) : (result?.message ?? t('Grafana could not be reached.'));
    throw { status: 'error', message, error: new HealthCheckError(message, {}) };
  }
  const working = (services ?? []).filter(({ ok }) => ok).map(({ service }) => service);
  return {
    status: 'success',
    message: working.length > 0 ? t('Connected: {{services}}.', { services: working.join(', ') }) : result.message,
  };
}

/** What failed, in a line. */
function failure(services: ServiceResult[]): string {
  if (services.every(({ configured }) => !configured)) {
    return t('Nothing is set up yet. Fill in the marked fields.');
  }
  const failed = services.filter(({ ok, configured }) => configured && !ok);
  return t('{{services}} failed. The lines above say why.', {
    services: failed.map(({ service }) => service).join(` ${t('and')} `),
  });
}
