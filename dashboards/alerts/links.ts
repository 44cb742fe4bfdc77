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
  /** What variables of the dashboard are set to that no label of {@link LABELS} chooses. Those that are empty are left as they are. */
  variables?: Record<string, string | TextOfLabel>;
  /** How far back it shows. */
  hours?: number;
}

/** The labels of alerts that variables of dashboards are set to. */
const LABELS = {
  cluster: '$labels.cluster_id',
  slurm_cluster: '$labels.cluster_id',
  node: NODE_NAME,
  machines: '$labels.vm_name',
  gpu: '$labels.gpu',
  disk: '$labels.disk_name',
  endpoint: '$labels.endpoint',
  balancer: '$labels.elb_name',
  job: '$labels.job',
  runs: '$labels.run_id',
  product: '$labels.type',
  location: '$labels.location',
};

/** States of alerts ignore the variables of a dashboard: on that of a single node they would mark every node, so they are here instead. */
const ALL_FAULTS: PanelOfBoard = { board: 'overview', panel: 'Top faults' };

const HOURS = 3;

/** The annotations that lead to a panel. */
export function linkTo({ board, panel, variables = {}, hours = HOURS }: PanelLink) {
  const { uid, id, names } = find({ board, panel });
  const unknown = Object.keys(variables).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`The dashboard "${board}" has no variable ${unknown.join(', ')}.`);
  }
  const marked = board === 'node' ? find(ALL_FAULTS) : { uid, id };
  const chosen = Object.entries(LABELS).filter(([name]) => names.includes(name));
  const set = Object.entries({ [DATA_SOURCE_VARIABLE]: DATA_SOURCE_UID, ...Object.fromEntries(chosen), ...variables })
    .filter(([, value]) => value)
    .map(([name, value]) => setting(`var-${name}`, value));
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

function find({ board, panel: title }: PanelOfBoard): { uid: string; id: number; names: string[] } {
  const { uid, panels, templating } = boards[board];
  const found = panels
    .flatMap((panel) => [panel, ...(panel.panels ?? [])])
    .filter((panel) => panel.title === title && panel.type !== 'row');
  if (found.length !== 1) {
    throw new Error(`The dashboard "${board}" has ${found.length} panels "${title}"; an alert rule needs one.`);
  }
  return { uid, id: found[0].id, names: templating.list.map(({ name }) => name) };
}
