import type { Scope } from '../../src/catalog/quantities.ts';
import { TWO_GPUS } from '../lib/allocation.ts';
import { board } from '../lib/board.ts';
import { HEAT, type Look } from '../lib/display.ts';
import { GPU } from '../lib/families.ts';
import {
  BEHIND_PEERS,
  CLUSTER,
  DASH,
  findings,
  NOT_COLLECTED,
  node,
  time,
  withXid,
  xidErrors,
} from '../lib/findings.ts';
import { toGpu } from '../lib/links.ts';
import { list } from '../lib/panels.ts';
import { worst, worstPorts } from '../lib/ports.ts';
import { BY_GPU, BY_NODE, IN_CLUSTER, inCluster, sentenceRow, withNode } from '../lib/promql.ts';
import { atEnd, chosenClusters, chosenGpus, ofNodes } from '../lib/quantities.ts';
import { rows } from '../lib/queries.ts';
import { failuresOf, score, SCORED } from '../lib/nodeScores.ts';
import {
  behindSince,
  clock,
  fleet,
  fleetOn,
  NONE_LOADED,
  power,
  replays,
  slowestGpus,
  slowestNodes,
  toPeers,
  WINDOW,
} from '../lib/stragglers.ts';
import { also, forStragglers, scope, suspects } from '../lib/gpuTimeVariables.ts';
import { clusters, endsOf, host, nodesWith, prefix } from '../lib/variables.ts';

const UTIL = 'DCGM_FI_DEV_GPU_UTIL';
const CHOSEN_GPUS = chosenGpus();
const PORTS = chosenClusters();

/** The twenty nodes with most of something. Of equal ones, an engine takes others each time: they are found once, for all columns. */
const mostOn = (expr: string) => `topk(20, max by (${BY_NODE}) (${expr}))`;
/** All GPUs of these. To VictoriaMetrics a comparison that does not hold is a series without values, and the sentence of a list would fill it. */
const found = (expr: string) => `topk(200, ${expr})`;
/** The nodes that have a suspect: the evidence is read for them only, not for every GPU there is. */
const SUSPECTS = '.*$suspects';
const suspected = fleetOn(SUSPECTS);

const gpuColumn: Look = { title: 'GPU', link: toGpu(true), width: 50 };
const shareOfTime = (title: string): Look => ({ title, unit: 'percentunit', decimals: 0, width: 85 });

/** A number of each GPU on the nodes that have a suspect, by the labels that rows are joined by. */
const evidence = (expr: string) => rows(withNode(`max by (${suspected.node}, gpu) (${expr})`));

const who = list({
  title: 'GPUs slower than their peers, by clock and heat',
  description: `At the end of the range: GPUs under load whose clock over 24 minutes is below the median of those of their node, and of their job where a label names it, by 4 % if heat slows them down, else by 7 % and alone with it among GPUs of like power; and GPUs that repeat PCIe transfers and are idle meanwhile. Work that is shared in step is as slow as the slowest of them. Up to 20 GPUs. A slow host, NUMA and congestion cannot be seen in samples of a minute. How to read it: the page Stragglers of the documentation. ${NOT_COLLECTED}`,
  family: GPU,
  stepsInRange: 180,
  isExplained: true,
  height: 5,
  queries: [
    rows(findings(slowestGpus(fleet, suspected), UTIL, NONE_LOADED)),
    evidence(behindSince(suspected)),
    evidence(clock(suspected)),
    evidence(toPeers(suspected, power(suspected))),
    rows(withNode(ofNodes(SUSPECTS, (of) => atEnd('temperature', of, BY_GPU)))),
    rows(withNode(ofNodes(SUSPECTS, (of) => atEnd('slowedByHeat', of, BY_GPU, WINDOW)))),
    rows(withNode(ofNodes(SUSPECTS, (of) => atEnd('slowedByPower', of, BY_GPU, WINDOW)))),
    evidence(replays(suspected)),
  ],
  required: 'Value #A',
  columns: {
    node,
    cluster_id: CLUSTER,
    gpu: gpuColumn,
    cause: { title: 'Why', width: 90 },
    'Value #A': BEHIND_PEERS,
    'Value #B': time('Since'),
    'Value #C': { title: 'SM clock', unit: 'rotmhz', width: 95 },
    'Value #D': { title: 'Power / peers', unit: 'percentunit', decimals: 0, width: 115 },
    'Value #E': { title: 'Heat', unit: 'celsius', width: 65, cell: 'color-text', steps: HEAT },
    'Value #F': shareOfTime('By heat'),
    'Value #G': shareOfTime('By power'),
    'Value #H': { title: 'PCIe replays', unit: 'cps', decimals: 2, width: 95 },
  },
  sortBy: 'Behind',
});

const slowNodesList = list({
  title: 'Nodes at a lower clock than their node pool',
  description:
    'At the end of the range: nodes under load whose median clock is at least 8 % below that of such nodes of their pool with the same model of GPU, or about half of the fastest. Why: heat slows them down, or a power limit at which they draw less than the others. Where neither is seen, the clock is locked, the power capped without a counter that says so, or it is another job. Needs four nodes under load.',
  family: GPU,
  isExplained: true,
  queries: [rows(findings(slowestNodes(fleet), UTIL, NONE_LOADED))],
  columns: {
    node,
    cluster_id: CLUSTER,
    nodepool_name: { title: 'Node pool', width: 110 },
    modelName: { title: 'Model', width: 120, wrap: true },
    cause: { title: 'Why', width: 90 },
    Value: BEHIND_PEERS,
  },
});

/** What is found by a metric that some clusters may not have, or why nothing is. */
const byMetric = (expr: string, metric: string, none: string) => {
  const clusters = (of: string) => `count by (cluster_id) (${inCluster(of, TWO_GPUS)})`;
  const without = `${clusters(UTIL)} unless ${clusters(metric)}`;
  const notAll = sentenceRow(`count(${without})`, 'Not collected, or not in all clusters: see the description');
  return rows(findings(`(${found(expr)} or on () ${notAll})`, metric, none));
};

const failedRows = (of: Scope) => `${atEnd('remapFailure', of, BY_GPU)} > 0`;
const faulty = (of: Scope) => `${atEnd('eccErrors', of, BY_GPU)} > 0 or 0 * (${failedRows(of)})`;
const FAULTY = '$bad_memory';
const OF_MEMORY = 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL|DCGM_FI_DEV_ROW_REMAP_FAILURE';

const ecc = list({
  title: 'Faulty GPU memory',
  description: `GPUs with ECC errors in the range that were not corrected, and those with a faulty row that can’t be replaced: such a GPU has to be. Beside them the rows that were replaced. Up to 20 nodes. ${NOT_COLLECTED}`,
  family: GPU,
  isExplained: true,
  height: 6,
  queries: [
    byMetric(ofNodes(FAULTY, faulty), OF_MEMORY, 'All is well: no GPU has faulty memory'),
    rows(withNode(ofNodes(FAULTY, failedRows))),
    rows(withNode(ofNodes(FAULTY, (of) => `${atEnd('remappedRows', of, BY_GPU)} > 0`))),
  ],
  required: 'Value #A',
  columns: {
    node,
    cluster_id: CLUSTER,
    gpu: gpuColumn,
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
  family: GPU,
  isExplained: true,
  height: 6,
  queries: [
    byMetric(ofNodes(SLOWED, slowed), OF_HEAT, 'All is well: heat slows no GPU down'),
    rows(withNode(ofNodes(SLOWED, (of) => atEnd('slowedByPower', of, BY_GPU, WINDOW)))),
    rows(withNode(ofNodes(SLOWED, (of) => atEnd('temperature', of, BY_GPU)))),
  ],
  required: 'Value #A',
  columns: {
    node,
    cluster_id: CLUSTER,
    gpu: gpuColumn,
    'Value #A': {
      title: 'By heat',
      words: DASH,
      unit: 'percentunit',
      decimals: 0,
      width: 90,
      cell: 'color-text',
    },
    'Value #B': shareOfTime('By power'),
    'Value #C': { title: 'Heat', unit: 'celsius', width: 75, cell: 'color-text', steps: HEAT },
  },
  sortBy: 'By heat',
});

/** Their names are in a query 45 times. */
const FAILING = '.*$failing';

const nodeScores = list({
  title: 'Nodes that keep failing',
  description: `Of the ${SCORED} before the end of the range, by the number of failures: GPUs with an XID error of the hardware or the driver, in the range, and before it looked at every four days; double-bit ECC errors; GPUs with a failed row remapping; InfiniBand links that went down. A code that was cleared between two looks, and what a counter had before it began again, are missed.`,
  family: GPU,
  isExplained: true,
  queries: [
    rows(findings(score(FAILING), UTIL, `No failure was found in ${SCORED}`)),
    ...Object.values(failuresOf(FAILING)).map((expr) => rows(withNode(expr))),
  ],
  required: 'Value #A',
  columns: {
    node,
    cluster_id: CLUSTER,
    'Value #A': { title: 'Score', words: DASH, decimals: 0, width: 80, cell: 'color-text' },
    'Value #B': { title: 'GPUs with XID errors', decimals: 0 },
    'Value #C': { title: 'Double-bit errors', decimals: 0 },
    'Value #D': { title: 'Remapping failed', decimals: 0 },
    'Value #E': { title: 'Links down', decimals: 0 },
  },
  sortBy: 'Score',
});

export const stragglers = () =>
  board({
    uid: 'gpucloud-stragglers',
    title: 'Stragglers and faults',
    question: 'What holds others up?',
    description: 'Which GPUs, nodes and ports are slow or faulty, why and since when; and which keep failing.',
    refresh: '5m',
    variables: [
      prefix(),
      clusters(),
      host(IN_CLUSTER),
      scope(),
      also(),
      ...forStragglers(),
      suspects(),
      withXid(),
      worst(PORTS),
      nodesWith('bad_memory', mostOn(faulty(CHOSEN_GPUS)), 'Nodes with faulty GPU memory'),
      nodesWith('slowed', mostOn(slowed(CHOSEN_GPUS)), 'Nodes that heat slows down'),
      nodesWith('failing', endsOf(`topk(20, ${score()})`, 7), 'Ends of the names of nodes that keep failing', 'end'),
    ],
    sections: [{ panels: [who, [slowNodesList, worstPorts(PORTS)], xidErrors(), [ecc, throttled], nodeScores] }],
  });
