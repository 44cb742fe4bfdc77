import { t } from '../i18n';
import type { GpuCloudOptions } from '../types';

/** The platform's services, as the sections of the settings name them. */
export type Setting = 'Metrics' | 'Fine-tuning' | 'Main API';

/**
 * What the settings lack for a service, to be read after "Set"; nothing if it is configured. Grafana never sends secrets to
 * the browser: whether one is missing, only the backend can say.
 */
export function missingSettings(setting: Setting, options: GpuCloudOptions): string | undefined {
  const { baseUrl, metricsUrl, projectId, intelligenceUrl, accessKeyId } = options;
  const base = !baseUrl && t('the base address');
  const lacks = {
    Metrics: metricsUrl ? [] : [base, !projectId && t('the project id')],
    'Fine-tuning': [!intelligenceUrl && t('the gateway address')],
    'Main API': [base, !accessKeyId && t('the access key id')],
  }[setting].filter((lack) => lack !== false);
  return lacks.length > 0 ? lacks.join(` ${t('and')} `) : undefined;
}
