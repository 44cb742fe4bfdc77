import type { DataSourceRef } from '@grafana/schema';
import plugin from '../../src/plugin.json' with { type: 'json' };

/** The plugin's id, which is the type of its data sources. */
export const PLUGIN_ID = plugin.id;

/** Name of the variable that picks the data source. */
export const DATA_SOURCE_VARIABLE = 'datasource';

/** The data source that is picked on the dashboard. Imports and provisioning need no other name for it. */
export const dataSource: DataSourceRef = { type: PLUGIN_ID, uid: `\${${DATA_SOURCE_VARIABLE}}` };
