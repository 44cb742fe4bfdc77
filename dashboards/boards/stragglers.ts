import { board } from '../lib/board.ts';
import { HEAT, plain, type Look } from '../lib/display.ts';
import { GPU, INFINIBAND, PROFILING, type Family } from '../lib/families.ts';
import { BEHIND_PEERS, DASH, NOT_COLLECTED, node, time, withXid, xidErrors } from '../lib/findings.ts';
import { toGpu } from '../lib/links.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import {
  anywhere,
  average,
  findings,
  highest,
  HOST,
  inCluster,
  ofGpu,
  onNode,
  throttled,
  vendor,
  withNode,
} from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { FAILURES, SCORE, SCORED, SLOWED_BY_HEAT } from '../lib/nodeScores.ts';
import {
  clock,
  comparable,
  fleet,
  fleetOn,
  heat,
  heldFor,
  levelUntil,
  loaded,
  NONE_LOADED,
  power,
  powerLimit,
  replays,
  sigmas,
  slowestGpus,
  slowestNodes,
  tensor,
  toPeers,
} from '../lib/stragglers.ts';
import { clusters, gpuOfSuspect, host, nodeOfSuspect, prefix, suspects, throttlingUnit } from '../lib/variables.ts';

const UTIL = inCluster('DCGM_FI_DEV_GPU_UTIL');
const ANY_GPU = anywhere('DCGM_FI_DEV_GPU_UTIL');

/** The nodes that have a suspect: the evidence is read for them only, not for every GPU there is. */
const suspected = fleetOn('$suspects');

const gpuColumn: Look = { title: 'GPU', link: toGpu(true), width: 50 };
const ofMedian = (title: string): Look => ({ title, unit: 'percentunit', decimals: 0, width: 115 });
const shareOfTime = (title: string): Look => ({ title, unit: 'percentunit', decimals: 0, width: 85 });

const now = numbers({
  description:
    'GPUs under load are those on which kernels ran in most of the last ten minutes. A GPU is compared if at least four of its node are under load.',
  family: GPU,
  width: 24,
  queries: [
    instant(`count(${UTIL})`, 'GPUs'),
    instant(`count(${loaded(fleet)}) or 0 * count(${UTIL})`, 'Under load'),
    instant(`count(${comparable(fleet)}) or 0 * count(${UTIL})`, 'Nodes compared'),
  ],
  unit: 'locale',
});

/** A number of each GPU on the nodes that have a suspect, by the labels that rows are joined by. */
const evidence = (expr: string) => rows(withNode(`max by (${suspected.node}, gpu) (${expr})`));

const who = list({
  title: 'GPUs slower than their peers',
  description: `At the end of the range: GPUs under load that are at least 8 %, and four standard deviations, behind the median of their node, with the reason. Work that is shared in step is as slow as the slowest of them. σ is how many standard deviations the clock is below the median, by the median absolute deviation; “Held” the share of the last hour under load. Up to 20 GPUs. A slow-down of less than five minutes cannot be seen. How to read it: the page Stragglers of the documentation. ${NOT_COLLECTED}`,
  family: GPU,
  stepsInRange: 180,
  isExplained: true,
  width: 24,
  height: 6,
  queries: [
    rows(findings(slowestGpus(fleet), UTIL, ANY_GPU, NONE_LOADED)),
    evidence(levelUntil(suspected)),
    evidence(heldFor(suspected)),
    evidence(sigmas(suspected)),
    evidence(clock(suspected)),
    evidence(toPeers(suspected, clock(suspected))),
    evidence(toPeers(suspected, power(suspected))),
    evidence(toPeers(suspected, tensor(suspected))),
    evidence(suspected.select('DCGM_FI_DEV_GPU_TEMP')),
    evidence(heat(suspected)),
    evidence(powerLimit(suspected)),
    evidence(replays(suspected)),
  ],
  required: 'Value #A',
  columns: {
    node,
    gpu: gpuColumn,
    cause: { title: 'Why', width: 100 },
    'Value #A': BEHIND_PEERS,
    'Value #B': time('Since'),
    'Value #C': shareOfTime('Held'),
    'Value #D': { title: 'σ', decimals: 1, width: 60 },
    'Value #E': { title: 'SM clock', unit: 'rotmhz', width: 95 },
    'Value #F': ofMedian('Clock / peers'),
    'Value #G': ofMedian('Power / peers'),
    'Value #H': ofMedian('Tensor / peers'),
    'Value #I': { title: 'Heat', unit: 'celsius', width: 75, cell: 'color-text', steps: HEAT },
    'Value #J': shareOfTime('By heat'),
    'Value #K': shareOfTime('By power'),
    'Value #L': { title: 'PCIe replays', unit: 'cps', decimals: 2, width: 100 },
  },
  sortBy: 'Behind',
});

const slowNodesList = list({
  title: 'Nodes slower than their node pool',
  description:
    'At the end of the range: nodes whose median clock is at least 8 %, and four standard deviations, below that of the nodes under load of their pool with the same model of GPU, and which draw no more power. GPU metrics name no job: a pool in which several jobs run is compared all the same. Needs four nodes under load.',
  family: GPU,
  isExplained: true,
  width: 12,
  height: 7,
  queries: [rows(findings(slowestNodes(fleet), UTIL, ANY_GPU, NONE_LOADED))],
  columns: {
    node,
    nodepool_name: { title: 'Node pool', width: 110 },
    modelName: { title: 'Model', width: 150 },
    Value: BEHIND_PEERS,
  },
});

const PORT = (metric: string) => `${vendor(`ib_port_${metric}`)}{cluster_id=~"$cluster"}`;
const EVENTS = ['link_downed', 'link_error_recovery', 'error_rx', 'xmit_discard'];
/** The label keeps the counters of one port apart until they are added: one that isn't collected leaves the others. */
const failures = `sum by (cluster_id, vm_name, hca_number) (${EVENTS.map((event) => `label_replace(increase(${PORT(event)}[1h]), "event", "${event}", "", "")`).join(' or ')})`;

const links = list({
  title: 'InfiniBand ports with errors',
  description:
    'Ports that went down, recovered, received faulty packets or discarded some in the last hour of the range. All nodes of a job wait for its slowest link, so their GPUs look alike: the port is the culprit, none of the GPUs is. Collected every 5 minutes.',
  family: INFINIBAND,
  isExplained: true,
  width: 12,
  height: 7,
  queries: [
    rows(
      findings(
        `topk(20, label_replace(${failures} > 0, "${HOST}", "$1", "vm_name", "(.+)"))`,
        PORT('link_downed'),
        vendor('ib_port_link_downed'),
        'All is well: no port has errors'
      )
    ),
  ],
  columns: {
    node,
    hca_number: { title: 'Port', width: 70 },
    Value: { title: 'Errors', words: DASH, decimals: 0, width: 90, cell: 'color-text', steps: plain },
  },
  sortBy: 'Errors',
});

const OWN = 'This GPU';
const PEERS = 'Median of its node';

interface Signal {
  unit: string;
  max?: number;
  family?: Family;
  of?: (selector: string) => string;
}

/** A signal of the GPU that is picked, next to the median of all GPUs of its node. */
const signal = (title: string, description: string, metric: string, spec: Signal) => {
  const { unit, max, family = GPU, of = average } = spec;
  return graph({
    title,
    description,
    family,
    width: 8,
    height: 7,
    unit,
    min: 0,
    max,
    queries: [range(`max(${of(ofGpu(metric))})`, OWN), range(`quantile(0.5, ${of(onNode(metric))})`, PEERS)],
    looks: { [OWN]: { color: 'orange', lineWidth: 2 }, [PEERS]: { color: 'text' } },
  });
};

const signals = [
  signal(
    'SM clock',
    'The clock of the multiprocessors. A straggler’s is low while it computes.',
    'DCGM_FI_DEV_SM_CLOCK',
    {
      unit: 'rotmhz',
    }
  ),
  signal(
    'Tensor cores active',
    'Share of cycles. Peers that wait for a GPU compute in fewer of theirs: its line is above the median.',
    'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
    { unit: 'percentunit', max: 1, family: PROFILING }
  ),
  signal(
    'SM active',
    'Share of cycles in which a multiprocessor had work. Below the median: the GPU waits for its host, not for its peers.',
    'DCGM_FI_PROF_SM_ACTIVE',
    { unit: 'percentunit', max: 1, family: PROFILING }
  ),
  signal('Power', 'A GPU at a low clock draws less than its peers.', 'DCGM_FI_DEV_POWER_USAGE', { unit: 'watt' }),
  signal('Temperature', 'The highest of each step.', 'DCGM_FI_DEV_GPU_TEMP', { unit: 'celsius', of: highest }),
  signal('Throttled by heat', 'Share of time.', 'DCGM_FI_DEV_THERMAL_VIOLATION', {
    unit: 'percentunit',
    of: throttled,
  }),
  signal(
    'Throttled by the power limit',
    'Share of time. GPUs at full load reach their limit: it is a reason only where the peers don’t.',
    'DCGM_FI_DEV_POWER_VIOLATION',
    { unit: 'percentunit', of: throttled }
  ),
  signal('PCIe, received', 'From the machine: data of the next steps.', 'DCGM_FI_PROF_PCIE_RX_BYTES', {
    unit: 'Bps',
    family: PROFILING,
  }),
  signal('NVLink, sent', 'To the other GPUs of the node.', 'DCGM_FI_PROF_NVLINK_TX_BYTES', {
    unit: 'Bps',
    family: PROFILING,
  }),
];

const nodeScores = list({
  title: 'Nodes that keep failing',
  description: `Of the ${SCORED} before the end of the range, by the number of failures: GPUs with an XID error of the hardware or the driver, looked at every three days; double-bit ECC errors; GPUs with a failed row remapping; InfiniBand links that went down. Beside them the time in which the hottest GPU was slowed down by heat. A code that was cleared between two looks, and what a counter had before it began again, are missed.`,
  family: GPU,
  isExplained: true,
  width: 24,
  height: 8,
  queries: [
    rows(findings(`topk(20, ${SCORE})`, UTIL, ANY_GPU, `All is well: no node had a failure in ${SCORED}`)),
    ...[...Object.values(FAILURES), SLOWED_BY_HEAT].map((expr) => rows(withNode(expr))),
  ],
  required: 'Value #A',
  columns: {
    node,
    'Value #A': { title: 'Score', words: DASH, decimals: 0, width: 80, cell: 'color-text', steps: plain },
    'Value #B': { title: 'GPUs with XID errors', decimals: 0 },
    'Value #C': { title: 'Double-bit errors', decimals: 0 },
    'Value #D': { title: 'GPUs with a failed remapping', decimals: 0 },
    'Value #E': { title: 'Links down', decimals: 0 },
    'Value #F': { title: 'Slowed down by heat', unit: 's', decimals: 1 },
  },
  sortBy: 'Score',
});

export const stragglers = () =>
  board({
    uid: 'gpucloud-stragglers',
    title: 'Stragglers',
    description: 'Which GPUs and nodes hold up the others, why, since when and how sure; and which keep failing.',
    variables: [prefix(), host(), clusters(), throttlingUnit(), suspects(), nodeOfSuspect(), gpuOfSuspect(), withXid()],
    sections: [
      { panels: [now, who, slowNodesList, links] },
      { title: 'Signals of one GPU', panels: signals },
      { title: 'What keeps failing', panels: [nodeScores, xidErrors()] },
    ],
  });
