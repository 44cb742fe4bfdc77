import { boards, type BoardName } from '../boards/index.ts';
import { DATA_SOURCE_VARIABLE } from '../lib/dataSource.ts';
import { NODE_NAME } from './texts.ts';

/** As in `provisioning/datasources/gpucloud.yaml`. */
export const DATA_SOURCE_UID = 'gpucloud';

/** A panel of a dashboard, by its title. */
interface PanelOfBoard {
  board: BoardName;
  panel: string;
}

/** A format of Go with a `%q` or `%s`, and the label that takes its place. */
interface TextOfLabel {
  label: string;
  format: string;
}

/** Where to look. */
export interface PanelLink extends PanelOfBoard {
  /** What the dashboard's variables are set to: text, the name of a label after `$labels.`, or a text made of one. */
  variables?: Record<string, string | TextOfLabel>;
  /** How far back it shows. */
  hours?: number;
  /**
   * Where Grafana shows the states of the alert, if it is not the same panel. They ignore the variables of a dashboard: on
   * one of a single node they would mark every node.
   */
  states?: PanelOfBoard;
}

/** The table of nodes on the overview. */
export const ALL_NODES: PanelOfBoard = { board: 'overview', panel: 'Twenty idlest nodes' };
/** The table of faults there. */
export const ALL_FAULTS: PanelOfBoard = { board: 'overview', panel: 'Top faults' };

/** Variables of the dashboards of one node. */
export const ON_NODE = { cluster: '$labels.cluster_id', node: NODE_NAME };
export const ON_GPU = { ...ON_NODE, gpu: '$labels.gpu' };
/** Those of dashboards where several nodes can be chosen. */
export const ON_MACHINE = { cluster: '$labels.cluster_id', machines: '$labels.vm_name' };

const HOURS = 3;

/** The annotations that lead to a panel. */
export function linkTo({ board, panel, variables = {}, hours = HOURS, states = { board, panel } }: PanelLink) {
  const { uid, id } = find({ board, panel });
  const marked = find(states);
  const set = Object.entries({ [DATA_SOURCE_VARIABLE]: DATA_SOURCE_UID, ...variables }).map(([name, value]) =>
    setting(`var-${name}`, value)
  );
  // The address of Grafana ends in a slash. The range is relative: templates of rules have no time in Grafana 12.
  const address = `{{ externalURL }}d/${uid}?from=now-${hours}h&to=now${set.join('')}`;
  return {
    dashboard: address,
    panel: `${address}&viewPanel=panel-${id}`,
    // Grafana's own links, and the states of the alert on the panel.
    __dashboardUid__: marked.uid,
    __panelId__: String(marked.id),
  };
}

/** A variable in an address. It is left out where there is no such label: all is shown then. */
function setting(name: string, value: string | TextOfLabel): string {
  if (typeof value === 'object') {
    return `{{ with ${value.label} }}&${name}={{ printf \`${value.format}\` . | urlquery }}{{ end }}`;
  }
  return value.includes('$labels') ? `{{ with ${value} }}&${name}={{ urlquery . }}{{ end }}` : `&${name}=${value}`;
}

function find({ board, panel: title }: PanelOfBoard): { uid: string; id: number } {
  const { uid, panels } = boards[board]();
  const found = panels
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .filter((panel) => panel.title === title && panel.type !== 'row');
  if (found.length !== 1) {
    throw new Error(`The dashboard "${board}" has ${found.length} panels "${title}"; an alert rule needs one.`);
  }
  return { uid, id: found[0].id };
}
