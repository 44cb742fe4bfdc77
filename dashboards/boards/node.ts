import { board } from '../lib/board.ts';
import { HEAT, percent, shareGauge, type Look } from '../lib/display.ts';
import { CLUSTER, XID_CELL } from '../lib/findings.ts';
import { toGpu } from '../lib/links.ts';
import { list } from '../lib/panels.ts';
import { BY_GPU, ON_NODE, withNode } from '../lib/promql.ts';
import type { QuantityName } from '../../src/catalog/quantities.ts';
import { atEnd, chosenClusters, chosenMachines } from '../lib/quantities.ts';
import { quantities } from '../lib/quantityPanels.ts';
import { clusters, gpus as gpuVariable, IS_MACHINE, machine, nodeByAnyLabel, prefix } from '../lib/variables.ts';

const MACHINE = chosenMachines(`$machine_host${IS_MACHINE}`);
const CHOSEN = chosenClusters(ON_NODE, 'gpu=~"$gpu"');

/** InfiniBand's series name their machine by `vm_name`, always. */
const PORTS = chosenClusters(`vm_name${IS_MACHINE}`);

/** The columns of the table of GPUs. */
const COLUMNS: Array<[name: QuantityName, look: Look]> = [
  ['utilization', { ...shareGauge('Utilization'), unit: 'percent', max: 100 }],
  ['smActivity', shareGauge('SM active')],
  ['tensorActivity', percent('Tensor active', 105)],
  ['memoryUsed', shareGauge('Memory')],
  ['power', { title: 'Power', unit: 'watt', decimals: 0, width: 75 }],
  ['temperature', { title: 'Heat', unit: 'celsius', cell: 'color-text', steps: HEAT, width: 65 }],
  ['clock', { title: 'SM clock', unit: 'rotmhz', width: 95 }],
  ['slowedByHeat', percent('By heat', 75)],
  ['slowedByPower', percent('By power', 80)],
  ['xid', XID_CELL],
  ['eccErrors', { title: 'ECC, double-bit', decimals: 0, width: 125 }],
  ['remappedRows', { title: 'Remapped rows', decimals: 0, width: 125 }],
];

const gpus = list({
  title: 'GPUs',
  description:
    'Means of the last 10 minutes of the range, by heat and by power the shares of time in which these slowed a GPU down; ECC errors are those of the range, the XID code and remapped rows stay until the GPU is reset or replaced. A GPU that stays behind the others holds up a job that runs on all. Click one to see it alone.',
  height: 11,
  queries: COLUMNS.map(([name]) => withNode(atEnd(name, CHOSEN, BY_GPU))),
  columns: {
    node: { title: 'Node', hidden: true },
    gpu: { title: 'GPU', link: toGpu(true), width: 60 },
    // Machines of two clusters may have one name: then choose a cluster.
    cluster_id: CLUSTER,
    ...Object.fromEntries(COLUMNS.map(([, look], index) => [`Value #${String.fromCharCode(65 + index)}`, look])),
  },
  sortBy: 'GPU',
  rising: true,
});

/** A line below all others, where a dip of any GPU shows. */
const LOWEST = 'Lowest sample of any GPU';

/** High enough for a legend of eight GPUs and two more. */
const LINE = { height: 10 } as const;

/** A line for each GPU, and others of all of them. */
const OF_GPUS = { ...LINE, of: CHOSEN, by: BY_GPU, link: toGpu() };
const EACH = 'GPU {{gpu}}';

/** Of all GPUs: in no color of a GPU's line. */
const OF_ALL: Look = { color: 'text' };
const ALSO_OF_ALL: Look = { color: 'gray' };
const onTheRight = (unit: string, look: Look = {}): Look => ({ ...look, unit, axis: 'right' });

export const node = board({
  uid: 'gpucloud-node',
  title: 'Node',
  question: 'Does it keep pace?',
  description: 'One machine: its GPUs side by side, processors, memory, disks and network.',
  needs: ['GPUs', 'profiling', 'machines', 'disks', 'InfiniBand'],
  variables: [prefix(), clusters(), ...nodeByAnyLabel(), ...machine(), gpuVariable()],
  sections: [
    { panels: [gpus] },
    {
      title: 'GPUs of $node over time',
      panels: [
        [
          quantities({
            ...OF_GPUS,
            title: 'Utilization, means',
            lines: { utilization: EACH, lowestUtilization: LOWEST },
            max: 100,
            looks: { [LOWEST]: { color: 'text', lineWidth: 0.5 } },
          }),
          quantities({
            ...OF_GPUS,
            title: 'SM activity, means',
            lines: { smActivity: EACH, tensorActivity: 'Tensor cores, mean', memoryActivity: 'DRAM, mean' },
            max: 1,
            looks: { 'Tensor cores, mean': OF_ALL, 'DRAM, mean': ALSO_OF_ALL },
          }),
          quantities({ ...OF_GPUS, title: 'GPU memory in use, means', lines: { memoryInUse: EACH } }),
        ],
        [
          quantities({
            ...OF_GPUS,
            title: 'Power, means, and highest heat',
            lines: { power: EACH, temperature: 'Hottest GPU', memoryTemperature: 'Hottest memory' },
            looks: {
              'Hottest GPU': onTheRight('celsius', OF_ALL),
              'Hottest memory': onTheRight('celsius', ALSO_OF_ALL),
            },
          }),
          quantities({
            ...OF_GPUS,
            title: 'SM clock, means',
            lines: { clock: EACH, slowedByHeat: 'Slowed by heat', slowedByPower: 'By power limit' },
            looks: {
              'Slowed by heat': onTheRight('percentunit', OF_ALL),
              'By power limit': onTheRight('percentunit', ALSO_OF_ALL),
            },
          }),
        ],
      ],
    },
    {
      title: 'The machine $node, its links and network',
      folded: true,
      panels: [
        [
          quantities({
            ...LINE,
            title: 'Processors by what they do',
            stacked: true,
            of: MACHINE,
            lines: { processorSeconds: '{{mode}}' },
          }),
          quantities({
            ...LINE,
            title: 'Host memory and disks',
            of: MACHINE,
            lines: { hostMemory: 'Host memory', diskFull: 'Fullest disk', diskRead: 'Read', diskWritten: 'Written' },
            looks: { Read: onTheRight('Bps'), Written: onTheRight('Bps') },
          }),
          quantities({
            ...LINE,
            title: 'NVLink, PCIe and network',
            isByFactors: true,
            // Ports are collected every 5 minutes, and count bytes.
            every: '5m',
            of: (name) => (name.startsWith('port') ? PORTS : name.startsWith('ethernet') ? MACHINE : CHOSEN),
            lines: {
              nvlinkSent: 'NVLink, sent',
              nvlinkReceived: 'NVLink, received',
              pcieSent: 'PCIe, sent',
              pcieReceived: 'PCIe, received',
              ethernetReceived: 'Ethernet, received',
              ethernetSent: 'Ethernet, sent',
              portReceived: 'InfiniBand, received',
              portSent: 'InfiniBand, sent',
            },
          }),
        ],
      ],
    },
  ],
});
