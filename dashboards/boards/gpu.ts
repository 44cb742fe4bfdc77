import { board } from '../lib/board.ts';
import { badIfAny, HEAT, type Look } from '../lib/display.ts';
import { GPU, PROFILING, type Family } from '../lib/families.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { average, highest, lowest, ofGpu, throttled } from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { clusters, gpu as gpuVariable, host, node, throttlingUnit } from '../lib/variables.ts';

const device = (field: string) => ofGpu(`DCGM_FI_DEV_${field}`);
const profile = (field: string) => ofGpu(`DCGM_FI_PROF_${field}`);
/** Over time, averages: a point stands for its whole step. */
const mean = (selector: string) => `max(${average(selector)})`;

const now = numbers({
  description: 'The newest sample of each.',
  family: GPU,
  width: 14,
  unit: 'short',
  queries: [
    instant(`max(${device('GPU_UTIL')})`, 'Utilization'),
    instant(`max(${profile('PIPE_TENSOR_ACTIVE')})`, 'Tensor cores active'),
    instant(`max(${device('FB_USED')} / (${device('FB_USED')} + ${device('FB_FREE')}))`, 'Memory used'),
    instant(`max(${device('POWER_USAGE')})`, 'Power'),
    instant(`max(${device('GPU_TEMP')})`, 'Temperature'),
    instant(`max(${device('XID_ERRORS')})`, 'XID'),
    instant(`max(${device('ROW_REMAP_FAILURE')})`, 'Remap failure'),
  ],
  looks: {
    Utilization: { unit: 'percent' },
    'Tensor cores active': { unit: 'percentunit', decimals: 0 },
    'Memory used': { unit: 'percentunit', decimals: 0 },
    Power: { unit: 'watt', decimals: 0 },
    Temperature: { unit: 'celsius', steps: HEAT },
    XID: { unit: 'none', steps: badIfAny },
    'Remap failure': { unit: 'none', steps: badIfAny, words: { 0: { text: 'no' }, 1: { text: 'yes' } } },
  },
});

const identity = list({
  title: 'Which GPU',
  description: 'The card’s model and UUID, as support needs them.',
  family: GPU,
  width: 10,
  height: 4,
  queries: [rows(`max by (modelName, UUID) (${device('GPU_UTIL')})`)],
  columns: { modelName: { title: 'Model', width: 200 }, UUID: {} },
});

interface Line {
  expr: string;
  name: string;
  look?: Look;
}

const lines = (
  title: string,
  description: string,
  unit: string,
  queries: Line[],
  more: { max?: number; family?: Family } = {}
) =>
  graph({
    title,
    description,
    family: more.family ?? GPU,
    width: 12,
    unit,
    min: 0,
    max: more.max,
    queries: queries.map(({ expr, name }) => range(expr, name)),
    looks: Object.fromEntries(queries.flatMap(({ name, look }) => (look ? [[name, look]] : []))),
  });

const counted = (title: string, description: string, fields: Array<[field: string, name: string]>) =>
  graph({
    title,
    description,
    family: GPU,
    width: 12,
    unit: 'short',
    decimals: 0,
    min: 0,
    queries: fields.map(([field, name]) => range(`max(${device(field)})`, name)),
  });

export const gpu = () =>
  board({
    uid: 'gpucloud-gpu',
    title: 'GPU',
    description: 'One GPU: what it computes, what holds it back, and how healthy it is.',
    variables: [host(), clusters(), node(), gpuVariable(), throttlingUnit()],
    sections: [
      { panels: [now, identity] },
      {
        title: 'Work',
        panels: [
          lines(
            'Utilization',
            'Share of time in which a kernel ran, and in which memory was read or written: averages, and the lowest sample of each step, where a dip shows. It says that the GPU is busy, not that it is used well.',
            'percent',
            [
              { expr: mean(device('GPU_UTIL')), name: 'Kernels', look: { color: 'green', fillTo: 'Kernels, lowest' } },
              {
                expr: `max(${lowest(device('GPU_UTIL'))})`,
                name: 'Kernels, lowest',
                look: { color: 'semi-dark-green', lineWidth: 0.5 },
              },
              { expr: mean(device('MEM_COPY_UTIL')), name: 'Memory', look: { color: 'blue' } },
            ],
            { max: 100 }
          ),
          lines(
            'Activity',
            'How well it is used: shares of cycles. High SM and low tensor activity is a model that waits for memory (DRAM high) or does not use the tensor cores.',
            'percentunit',
            [
              { expr: mean(profile('SM_ACTIVE')), name: 'SM active' },
              { expr: mean(profile('PIPE_TENSOR_ACTIVE')), name: 'Tensor cores active' },
              { expr: mean(profile('DRAM_ACTIVE')), name: 'DRAM active' },
              { expr: mean(profile('SM_OCCUPANCY')), name: 'SM occupancy' },
            ],
            { max: 1, family: PROFILING }
          ),
          lines('Memory', 'What is allocated, below what the card has.', 'mbytes', [
            { expr: mean(device('FB_USED')), name: 'In use', look: { color: 'blue', fill: 15 } },
            { expr: `max(${device('FB_USED')} + ${device('FB_FREE')})`, name: 'Installed', look: { color: 'text' } },
          ]),
          lines(
            'Power and temperature',
            'Heat that rises while power does not: look at the cooling. Power is the average, on the left axis; temperatures are the highest of each step.',
            'watt',
            [
              { expr: mean(device('POWER_USAGE')), name: 'Power' },
              { expr: `max(${highest(device('GPU_TEMP'))})`, name: 'GPU', look: { unit: 'celsius', axis: 'right' } },
              {
                expr: `max(${highest(device('MEMORY_TEMP'))})`,
                name: 'Memory',
                look: { unit: 'celsius', axis: 'right' },
              },
            ]
          ),
        ],
      },
      {
        title: 'What holds it back',
        panels: [
          lines('Clocks', 'A clock that falls under load: the GPU is throttled.', 'rotmhz', [
            { expr: mean(device('SM_CLOCK')), name: 'SM' },
            { expr: mean(device('MEM_CLOCK')), name: 'Memory' },
          ]),
          lines(
            'Throttled',
            'Share of time in which the GPU slowed itself down, because of its power limit or of heat. If it is never above 0.1 %, the exporter may count microseconds: choose that in the menu of the dashboard’s controls.',
            'percentunit',
            [
              { expr: `max(${throttled(device('POWER_VIOLATION'))})`, name: 'Power limit' },
              { expr: `max(${throttled(device('THERMAL_VIOLATION'))})`, name: 'Heat' },
            ]
          ),
          lines(
            'NVLink',
            'To and from the other GPUs of the node.',
            'Bps',
            [
              { expr: mean(profile('NVLINK_TX_BYTES')), name: 'Sent' },
              { expr: mean(profile('NVLINK_RX_BYTES')), name: 'Received' },
            ],
            { family: PROFILING }
          ),
          lines(
            'PCIe',
            'To and from the machine.',
            'Bps',
            [
              { expr: mean(profile('PCIE_TX_BYTES')), name: 'Sent' },
              { expr: mean(profile('PCIE_RX_BYTES')), name: 'Received' },
            ],
            { family: PROFILING }
          ),
        ],
      },
      {
        title: 'Health',
        panels: [
          counted(
            'ECC errors',
            'Since the driver was loaded. Single-bit errors are corrected; a double-bit error ends the program.',
            [
              ['ECC_SBE_VOL_TOTAL', 'Single bit, corrected'],
              ['ECC_DBE_VOL_TOTAL', 'Double bit, not corrected'],
            ]
          ),
          counted(
            'Remapped rows and PCIe replays',
            'Rows of memory that were replaced, and transfers over PCIe that had to be repeated. A row that can’t be remapped means that the GPU needs to be replaced.',
            [
              ['CORRECTABLE_REMAPPED_ROWS', 'Rows after correctable errors'],
              ['UNCORRECTABLE_REMAPPED_ROWS', 'Rows after uncorrectable errors'],
              ['PCIE_REPLAY_COUNTER', 'PCIe replays'],
            ]
          ),
        ],
      },
    ],
  });
