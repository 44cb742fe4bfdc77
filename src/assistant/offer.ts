import { catchError, defer, EMPTY, filter, take } from 'rxjs';
import type { DataSourceInstanceSettings } from '@grafana/data';
import { getObservablePluginLinks } from '@grafana/runtime';
import type { GpuCloudOptions } from '../types';

/**
 * Tells Grafana's assistant about a data source, in a Grafana that has the assistant: elsewhere nothing is loaded. How the
 * assistant is found is `isAssistantAvailable` of `@grafana/assistant`, which would bring the package into `module.js`.
 */
export function offerToAssistant(settings: DataSourceInstanceSettings<GpuCloudOptions>): void {
  defer(() => getObservablePluginLinks({ extensionPointId: 'grafana/extension-sidebar/v0-alpha' }))
    .pipe(
      filter((links) => links.some(({ pluginId }) => pluginId === 'grafana-assistant-app')),
      take(1),
      catchError(() => EMPTY) // before Grafana has loaded its plugins
    )
    .subscribe(() => void import('./context').then(({ describeToAssistant }) => describeToAssistant(settings)));
}
