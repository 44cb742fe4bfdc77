import { boards, type BoardName } from '../boards/index.ts';
import { DATA_SOURCE_VARIABLE } from '../lib/dataSource.ts';
import { NODE_NAME } from './texts.ts';

/** As in `provisioning/datasources/gpucloud.yaml`. */
export const DATA_SOURCE_UID = 'gpucloud';

/** A panel of a dashboard. */
export interface PanelLink {
  board: BoardName;
  /** Its title. */
  panel: string;
  /** What the dashboard's variables are set to: text, or the name of a label after `$labels.`. */
  variables?: Record<string, string>;
  /** How far back it shows. */
  hours?: number;
}

/** Variables of the dashboards of one node. */
export const ON_NODE = { cluster: '$labels.cluster_id', node: NODE_NAME };

const HOURS = 3;

/** The annotations that lead to a panel. */
export function linkTo({ board, panel, variables = {}, hours = HOURS }: PanelLink) {
  const { uid, id } = find(board, panel);
  const set = Object.entries({ [DATA_SOURCE_VARIABLE]: DATA_SOURCE_UID, ...variables }).map(([name, value]) =>
    setting(`var-${name}`, value)
  );
  // The address of Grafana ends in a slash. The range is relative: templates of rules have no time in Grafana 12.
  const address = `{{ externalURL }}d/${uid}?from=now-${hours}h&to=now${set.join('')}`;
  return {
    dashboard: address,
    panel: `${address}&viewPanel=panel-${id}`,
    // Grafana's own links, and the states of the alert on the panel.
    __dashboardUid__: uid,
    __panelId__: String(id),
  };
}

/** A variable in an address. It is left out where there is no such label: all is shown then. */
const setting = (name: string, value: string): string =>
  value.includes('$labels') ? `{{ with ${value} }}&${name}={{ urlquery . }}{{ end }}` : `&${name}=${value}`;

function find(board: BoardName, title: string): { uid: string; id: number } {
  const { uid, panels = [] } = boards[board]().build();
  const found = panels.filter((panel) => panel.title === title && panel.type !== 'row');
  if (found.length !== 1 || found[0].id === undefined || !uid) {
    throw new Error(`The dashboard "${board}" has ${found.length} panels "${title}"; an alert rule needs one.`);
  }
  return { uid, id: found[0].id };
}
