import type { Scope } from '../../src/catalog/quantities.ts';
import { EVERY_GPU, TWO_GPUS } from '../lib/allocation.ts';
import { board } from '../lib/board.ts';
import { HEAT, percent } from '../lib/display.ts';
import { BEHIND_PEERS, DASH, findings, NODE_COLUMNS, NOT_COLLECTED, time, MEANING, XID_CELL } from '../lib/findings.ts';
import { toGpu } from '../lib/links.ts';
import { list } from '../lib/panels.ts';
import { worst, worstPorts } from '../lib/ports.ts';
import { ANY_HOST, BY_GPU, BY_NODE, HOST, inCluster, lastIn, over, sentenceRow, withNode } from '../lib/promql.ts';
import { UNKNOWN_XID, XID_CODES } from '../lib/xid.ts';
import { alsoNamed } from '../lib/host.ts';
import { atEnd, chosenClusters, chosenGpus, ofNodes } from '../lib/quantities.ts';
import { failuresOf, score, SCORED } from '../lib/nodeScores.ts';
import { behindSince, chosenStragglers, fleet, lowClock, nodesAtLowClock, WINDOW } from '../lib/stragglers.ts';
import { clustersOfGpus, forStragglers } from '../lib/gpuTimeVariables.ts';
import { endsOfNodesWith, nodesWith, prefix } from '../lib/variables.ts';

const UTIL = 'DCGM_FI_DEV_GPU_UTIL';
const CHOSEN_GPUS = chosenGpus();
const PORTS = chosenClusters();

/** The twenty nodes with most of something. Of equal ones, an engine takes others each time: they are found once, for all columns. */
const mostOn = (expr: string) => `topk(20, max by (${BY_NODE}) (${expr}))`;
/** All GPUs of these. To VictoriaMetrics a comparison that does not hold is a series without values, and the sentence of a list would fill it. */
const found = (expr: string) => `topk(200, ${expr})`;

const GPU_COLUMNS = { ...NODE_COLUMNS, gpu: { title: 'GPU', link: toGpu(true), width: 50 } };

const who = list({
  title: 'GPUs slower than their peers, by clock and heat',
  description: `At the end of the range: GPUs under load whose clock over 24 minutes is below the median of those of their node, and of their job where a label names it, by 4 % if heat slows them down, else by 7 % and alone with it among GPUs of like power; and GPUs that repeat PCIe transfers and are idle meanwhile. Work that is shared in step is as slow as the slowest of them. Up to 20 GPUs. A slow host, NUMA and congestion cannot be seen in samples of a minute. Click a GPU for its clock, heat and power beside those of the others. How to read it: the page Stragglers of the documentation. ${NOT_COLLECTED}`,
  stepsInRange: 180,
  height: 5,
  found: findings(
    `topk(20, ${chosenStragglers()})`,
    EVERY_GPU,
    'No GPU is slower than its peers, where a node has four of one model and job under load: others are not compared'
  ),
  queries: [withNode(`max by (${BY_GPU}) (${behindSince()})`)],
  columns: {
    ...GPU_COLUMNS,
    cause: { title: 'Why' },
    'Value #A': BEHIND_PEERS,
    'Value #B': time('Since'),
  },
  sortBy: 'Behind',
});

const slowNodesList = list({
  title: 'Nodes at a lower clock than their node pool',
  description:
    'At the end of the range: nodes under load whose median clock is at least 8 % below that of such nodes of their pool with the same model of GPU, or about half of the fastest. Why: heat slows them down, or a power limit at which they draw less than the others. Where neither is seen, the clock is locked, the power capped without a counter that says so, or it is another job. Needs four nodes under load.',
  found: findings(
    `topk(20, ${nodesAtLowClock()})`,
    EVERY_GPU,
    'No node is slower than its node pool, where four of one are under load: others are not compared'
  ),
  columns: {
    ...NODE_COLUMNS,
    nodepool_name: { title: 'Node pool', width: 110 },
    modelName: { title: 'Model', width: 120, wrap: true },
    cause: { title: 'Why', width: 90 },
    Value: BEHIND_PEERS,
  },
});

const XID = inCluster('DCGM_FI_DEV_XID_ERRORS', ANY_HOST);

/** The codes of nodes with one: few, where all GPUs of a large fleet would be looked at once a minute of six hours. */
const XID_OF_NODES = inCluster('DCGM_FI_DEV_XID_ERRORS', ANY_HOST, `${HOST}=~"|$with_xid"`);

const code = (series: string) => `max by (${BY_GPU}) (${alsoNamed(series)})`;

/** When each GPU took on the code that it has: later samples only repeat it, also after a restart of the exporter. */
const xidChanged = (step: string) => {
  return `${code(XID_OF_NODES)} > 0 unless ${code(over('last_over_time', XID_OF_NODES, '15m', ` offset ${step}`))} == ${code(XID_OF_NODES)}`;
};

const LAST_XID = `${code(XID)} > 0`;
const SHOWN_XID = `topk(20, ${LAST_XID})`;

/** The code of each GPU with what to do as a label: rows of a table grow with texts, not with words for numbers. */
function xidWithAction(): string {
  const codes = new Map([[UNKNOWN_XID.action, '.*']]);
  XID_CODES.forEach(({ code, action }) => codes.set(action, [codes.get(action), code].filter(Boolean).join('|')));
  const labeled = [...codes].reduce(
    (expr, [action, of]) => `label_replace(${expr}, "action", ${JSON.stringify(action)}, "xid", "${of}")`,
    `count_values by (${BY_GPU}) ("xid", ${LAST_XID})`
  );
  return `${SHOWN_XID} * on (${BY_GPU}) group_left (action) ${labeled}`;
}

const xidErrors = list({
  title: 'XID errors at the end of the range',
  description: `GPUs whose driver has reported an error, with what it means and what to do first, from NVIDIA’s catalog of XID codes. DCGM keeps the last code until the GPU is reset, so a code is not news: see since when. A repeat of the same code cannot be seen. ${NOT_COLLECTED}`,
  stepsInRange: 120,
  height: 6,
  found: findings(xidWithAction(), 'DCGM_FI_DEV_XID_ERRORS', 'No XID error'),
  queries: [withNode(`${lastIn(xidChanged)} or 0 * (${code(XID_OF_NODES)} > 0)`)],
  computed: { meaning: ['Value #A', '*', '1'] },
  columns: {
    ...GPU_COLUMNS,
    node: { ...NODE_COLUMNS.node, width: 170 },
    'Value #A': XID_CELL,
    'Value #B': time('Since'),
    meaning: MEANING,
    action: { title: 'What to do', wrap: true },
  },
});

/** What is found by a metric that some clusters may not have, or why nothing is. */
const byMetric = (expr: string, metric: string, none: string) => {
  const clusters = (of: string) => `count by (cluster_id) (${inCluster(of, TWO_GPUS)})`;
  const without = `${clusters(UTIL)} unless ${clusters(metric)}`;
  const notAll = sentenceRow(`count(${without})`, 'Not collected, or not in all clusters: see the description');
  return findings(`(${found(expr)} or on () ${notAll})`, metric, none);
};

const failedRows = (of: Scope) => `${atEnd('remapFailure', of, BY_GPU)} > 0`;
const faulty = (of: Scope) => `${atEnd('eccErrors', of, BY_GPU)} > 0 or 0 * (${failedRows(of)})`;
const FAULTY = '$bad_memory';
const OF_MEMORY = 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL|DCGM_FI_DEV_ROW_REMAP_FAILURE';

const ecc = list({
  title: 'Faulty GPU memory',
  description: `GPUs with ECC errors in the range that were not corrected, and those with a faulty row that can’t be replaced: such a GPU has to be. Beside them the rows that were replaced. Up to 20 nodes. ${NOT_COLLECTED}`,
  height: 6,
  found: byMetric(ofNodes(FAULTY, faulty), OF_MEMORY, 'All is well: no GPU has faulty memory'),
  queries: [
    withNode(ofNodes(FAULTY, failedRows)),
    withNode(ofNodes(FAULTY, (of) => `${atEnd('remappedRows', of, BY_GPU)} > 0`)),
  ],
  columns: {
    ...GPU_COLUMNS,
    'Value #A': { title: 'Double-bit', words: DASH, decimals: 0, width: 100, cell: 'color-text' },
    'Value #B': {
      title: 'Remap failed',
      width: 115,
      words: { 1: { text: 'yes', color: 'red' } },
      cell: 'color-text',
    },
    'Value #C': { title: 'Remapped rows', decimals: 0, width: 125 },
  },
  sortBy: 'Double-bit',
});

/** The share of time from which on heat is a finding: below, a counter moves on any GPU that is loaded. */
const HOT = 0.05;
const slowed = (of: Scope) => `${atEnd('slowedByHeat', of, BY_GPU, WINDOW)} > ${HOT}`;
const SLOWED = '$slowed';
const OF_HEAT = 'DCGM_FI_DEV_THERMAL_VIOLATION';

const throttled = list({
  title: 'GPUs that heat slows down',
  description: `Share of the last 24 minutes of the range in which heat slowed a GPU down, by its counter, from 5 % on; beside it that of the power limit, which healthy GPUs at full load reach as well. Up to 20 nodes. Not collected: add ${OF_HEAT} to the counters of the exporter, whose default ones lack it.`,
  height: 6,
  found: byMetric(ofNodes(SLOWED, slowed), OF_HEAT, 'All is well: heat slows no GPU down'),
  queries: [
    withNode(ofNodes(SLOWED, (of) => atEnd('slowedByPower', of, BY_GPU, WINDOW))),
    withNode(ofNodes(SLOWED, (of) => atEnd('temperature', of, BY_GPU))),
  ],
  columns: {
    ...GPU_COLUMNS,
    'Value #A': { ...percent('By heat', 90), words: DASH, cell: 'color-text' },
    'Value #B': percent('By power'),
    'Value #C': { title: 'Heat', unit: 'celsius', width: 75, cell: 'color-text', steps: HEAT },
  },
  sortBy: 'By heat',
});

/** Their names are in a query 45 times. */
const FAILING = '.*$failing';

const nodeScores = list({
  title: 'Nodes that keep failing',
  description: `Of the ${SCORED} before the end of the range, by the number of failures: GPUs with an XID error of the hardware or the driver, in the range, and before it looked at every four days; double-bit ECC errors; GPUs with a failed row remapping; InfiniBand links that went down. A code that was cleared between two looks, and what a counter had before it began again, are missed.`,
  found: findings(score(FAILING), UTIL, `No failure was found in ${SCORED}`),
  queries: Object.values(failuresOf(FAILING)).map(withNode),
  columns: {
    ...NODE_COLUMNS,
    'Value #A': { title: 'Score', words: DASH, decimals: 0, width: 80, cell: 'color-text' },
    'Value #B': { title: 'GPUs with XID errors', decimals: 0 },
    'Value #C': { title: 'Double-bit errors', decimals: 0 },
    'Value #D': { title: 'Remapping failed', decimals: 0 },
    'Value #E': { title: 'Links down', decimals: 0 },
  },
  sortBy: 'Score',
});

export const stragglers = board({
  uid: 'gpucloud-stragglers',
  title: 'Stragglers and faults',
  question: 'What holds others up?',
  description: 'Which GPUs, nodes and ports are slow or faulty, why and since when; and which keep failing.',
  refresh: '5m',
  needs: ['GPUs', 'profiling', 'InfiniBand'],
  variables: [
    prefix(),
    ...clustersOfGpus(),
    ...forStragglers(),
    endsOfNodesWith('low_clock', `topk(20, ${lowClock(fleet)})`, 'nodes at a low clock', 8),
    nodesWith('with_xid', `count by (${HOST}) (${SHOWN_XID})`, 'Nodes with GPUs that have an XID error'),
    worst(PORTS),
    nodesWith('bad_memory', mostOn(faulty(CHOSEN_GPUS)), 'Nodes with faulty GPU memory'),
    nodesWith('slowed', mostOn(slowed(CHOSEN_GPUS)), 'Nodes that heat slows down'),
    endsOfNodesWith('failing', `topk(20, ${score()})`, 'nodes that keep failing', 7),
  ],
  sections: [{ panels: [who, [slowNodesList, worstPorts(PORTS)], xidErrors, [ecc, throttled], nodeScores] }],
});
