import type { Panel } from './panels.ts';

/** The folder of the alert rules that come with the plugin. */
const ALERT_FOLDER = 'GPU Cloud alerts';

/**
 * Alerts of the plugin's rules, those that fire first: Grafana's own list. Alerts that name no cluster are of any.
 */
export const alerts = (): Panel => ({
  type: 'alertlist',
  title: 'Firing alerts',
  description: `Alerts of the rules in the folder ${ALERT_FOLDER} that fire, are pending or could not be evaluated, in this order, of the chosen clusters, without those for information. Empty, all is well, or the rules are not installed: the documentation says how.`,
  gridPos: { w: 12, h: 8 },
  options: {
    viewMode: 'list',
    groupMode: 'default',
    groupBy: [],
    maxItems: 20,
    sortOrder: 3,
    dashboardAlerts: false,
    alertName: '',
    alertInstanceLabelFilter: `{grafana_folder="${ALERT_FOLDER}", severity!="info", cluster_id=~"\${cluster:regex}|"}`,
    stateFilter: { firing: true, pending: true, noData: false, normal: false, error: true, recovering: true },
    showInstances: false,
    showInactiveAlerts: false,
  },
});
