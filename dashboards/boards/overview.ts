import type { Scope } from '../../src/catalog/quantities.ts';
import { codeOf } from '../lib/causes.ts';
import { board } from '../lib/board.ts';
import { HEAT, shareGauge } from '../lib/display.ts';
import { findings, MEANING, NODE_COLUMNS, NOT_COLLECTED, WIDE_CLUSTER, XID_CELL } from '../lib/findings.ts';
import {
  byState,
  COUNTED_GPUS,
  GPUS_BY_STATE,
  gpusOnNodes,
  looksOfStates,
  MEANING_OF_STATES,
} from '../lib/gpuStates.ts';
import { causeOfGpu, gpusNow, maybeFaulted } from '../lib/causePromql.ts';
import { jobsThatGoOn } from '../lib/jobsThatGoOn.ts';
import { toFaults, toGpuTime, toUsage } from '../lib/links.ts';
import { graph, list, parts, type Panel } from '../lib/panels.ts';
import { BY_GPU, BY_NODE, HOST, onlyChosen, withNode } from '../lib/promql.ts';
import { atEnd, chosenClusters, chosenGpus, inPools, inSteps, ofNodes } from '../lib/quantities.ts';
import { numbersOf } from '../lib/quantityPanels.ts';
import { range } from '../lib/queries.ts';
import { clustersOfGpus, forCountsOfGpus, nodesToReadAllOf } from '../lib/gpuTimeVariables.ts';
import { endsOfNodesWith, nodesWith } from '../lib/variables.ts';

const CHOSEN = chosenClusters();

/** The folder of the alert rules that come with the plugin. */
const ALERT_FOLDER = 'GPU Cloud alerts';

/**
 * Alerts of the plugin's rules of some severities: Grafana's own list, which orders them by neither severity nor state. Alerts that name no
 * cluster are of any.
 */
const alerts = (title: string, severity: string): Panel => ({
  type: 'alertlist',
  title,
  description: `Alerts of the rules in the folder ${ALERT_FOLDER} that fire or could not be evaluated, the newest first, of the chosen clusters. Those for information are in neither list. Empty, all is well, or the rules are not installed: the documentation says how.`,
  gridPos: { h: 8 },
  options: {
    sortOrder: 5,
    alertInstanceLabelFilter: `{grafana_folder="${ALERT_FOLDER}", ${severity}, cluster_id=~"\${cluster:regex}|"}`,
    stateFilter: { pending: false },
  },
});
const critical = alerts('Critical alerts', 'severity="critical"');
const warnings = alerts('Warnings', 'severity!~"critical|info"');

const gpus = parts({
  title: 'GPUs, by what they do at the end of the range',
  description: MEANING_OF_STATES,
  unit: 'locale',
  link: toGpuTime,
  found: byState(gpusNow(GPUS_BY_STATE)),
  by: 'state',
  total: 'GPUs',
  looks: looksOfStates('GPUs'),
});

const now = numbersOf(
  [
    ['utilization', CHOSEN],
    ['smActivity', CHOSEN],
    ['memoryUsed', CHOSEN],
    ['power', CHOSEN, { decimals: 1 }],
    ['temperature', CHOSEN, { steps: HEAT }],
  ],
  {
    description:
      'Means of the last 10 minutes over all GPUs of the chosen clusters; the hottest GPU by its highest sample.',
  }
);

/** Half a row of means of the fleet in percent. */
const MEANS = {
  stepsInRange: 120,
  interval: '10m',
  height: 9,
  unit: 'percent',
  max: 100,
} as const;

const utilization = graph({
  ...MEANS,
  title: 'Utilization and activity, means',
  description:
    'Means of 10 minutes, or of each step of a longer range, over all GPUs. Utilization is the share of time in which a kernel ran, even one that only waits; SM activity is the share of cycles in which multiprocessors had work. Utilization far above activity: GPUs are busy and do little.',
  link: toGpuTime,
  queries: [
    range(inSteps('utilization', CHOSEN), 'Utilization'),
    range(`100 * ${inSteps('smActivity', CHOSEN)}`, 'SM active'),
  ],
  looks: { Utilization: { color: 'green', lineWidth: 2 }, 'SM active': { color: 'blue' } },
});

const pools = graph({
  ...MEANS,
  title: 'Utilization by node pool, means',
  description:
    'Likewise, over the GPUs of each pool. A pool at the bottom is paid for and not used, one that stays near 100 % over weeks needs GPUs.',
  legend: 'table',
  link: toUsage,
  queries: [range(inPools('utilization', CHOSEN), '{{pool}}')],
});

const jobs = jobsThatGoOn({
  filters: { statuses: ['running', 'paused'] },
  title: 'Jobs that go on',
  description:
    'Fine-tuning jobs that run or are paused, with their GPUs and when they finish by the steps that they report. GPUs are known where the metadata of a job names them or its node pool. Click a name for the job.',
  height: 6,
});

/** To classify all GPUs would cost a large fleet three times as much as to find those that may be faulted. */
const CODES = causeOfGpu({ ...gpusOnNodes(`${HOST}=~"|.*$down"`), without: 'idle' });

const faults = list({
  title: 'Top faults',
  description: `GPUs that are down, up to 20 on ten nodes, with the newest XID code of each. The dashboard Stragglers and faults has the evidence, slow GPUs, ports and nodes. ${NOT_COLLECTED}`,
  height: 6,
  found: findings(`topk(20, (${onlyChosen(CODES)}) == ${codeOf('faulted')})`, 'DCGM_FI_DEV_FB_USED', 'No GPU is down'),
  queries: [withNode(`${ofNodes('.*$down', (of) => atEnd('xid', of, BY_GPU))} > 0`)],
  computed: { meaning: ['Value #B', '*', '1'] },
  columns: {
    ...NODE_COLUMNS,
    node: { ...NODE_COLUMNS.node, width: 240 },
    gpu: { title: 'GPU', width: 55 },
    'Value #B': XID_CELL,
    meaning: { ...MEANING, link: toFaults },
  },
});

const utilizationOfNodes = (of: Scope) => atEnd('utilization', of, `${BY_NODE}, nodepool_name`);

/** Of equal nodes, an engine takes others each time: they are found once, for both columns. */
const IDLEST = '$idlest';
const idlest = list({
  title: 'Twenty idlest nodes',
  description:
    'By mean utilization of the last 10 minutes of the range. With memory in use, a process holds their GPUs. Drained machines, which have no load, are on the dashboard Capacity. Click a node for its own dashboard.',
  height: 9,
  queries: [
    withNode(ofNodes(IDLEST, utilizationOfNodes)),
    withNode(ofNodes(IDLEST, (of) => atEnd('memoryUsed', of, BY_NODE))),
  ],
  required: 'Value #A',
  columns: {
    ...NODE_COLUMNS,
    cluster_id: WIDE_CLUSTER,
    nodepool_name: { title: 'Node pool', width: 110 },
    'Value #A': { ...shareGauge('Utilization'), unit: 'percent', max: 100 },
    'Value #B': shareGauge('Memory'),
  },
  sortBy: 'Utilization',
  rising: true,
});

export const overview = board({
  uid: 'gpucloud-gpu-overview',
  title: 'Overview',
  question: 'What needs me now?',
  description: 'Alerts, GPUs by what they do, jobs that go on, faults and idle nodes.',
  annotations: [
    {
      name: 'Fine-tuning jobs and checkpoints',
      query: { refId: 'Anno', queryType: 'fineTuningAnnotations', show: ['jobs', 'checkpoints'] },
    },
  ],
  refresh: '5m',
  needs: ['GPUs', 'profiling'],
  variables: [
    ...clustersOfGpus(),
    ...forCountsOfGpus(),
    ...nodesToReadAllOf(),
    endsOfNodesWith(
      'down',
      `topk(10, count by (${HOST}) (${maybeFaulted(COUNTED_GPUS)}))`,
      'nodes with GPUs that may be faulted',
      8
    ),
    nodesWith('idlest', `bottomk(20, ${utilizationOfNodes(chosenGpus())})`, 'Nodes that are used least'),
  ],
  sections: [
    { panels: [gpus, now, [critical, warnings], faults, [utilization, pools], idlest] },
    { title: 'Fine-tuning, of all clusters', panels: [jobs] },
  ],
});
