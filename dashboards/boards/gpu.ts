import { board } from '../lib/board.ts';
import { badIfAny, HEAT } from '../lib/display.ts';
import { GPU, PROFILING, type Family } from '../lib/families.ts';
import { graph, list, numbers } from '../lib/panels.ts';
import { ofGpu, rate } from '../lib/promql.ts';
import { instant, range, rows } from '../lib/queries.ts';
import { clusters, gpu as gpuVariable, host, node } from '../lib/variables.ts';

const device = (field: string) => ofGpu(`DCGM_FI_DEV_${field}`);
const profile = (field: string) => ofGpu(`DCGM_FI_PROF_${field}`);

const now = numbers({
  description: 'The newest sample of each.',
  family: GPU,
  width: 14,
  unit: 'short',
  queries: [
    instant(`max(${device('GPU_UTIL')})`, 'Utilisation'),
    instant(`max(${profile('PIPE_TENSOR_ACTIVE')})`, 'Tensor cores active'),
    instant(`max(${device('FB_USED')} / (${device('FB_USED')} + ${device('FB_FREE')}))`, 'Memory used'),
    instant(`max(${device('POWER_USAGE')})`, 'Power'),
    instant(`max(${device('GPU_TEMP')})`, 'Temperature'),
    instant(`max(${device('XID_ERRORS')})`, 'XID'),
    instant(`max(${device('ROW_REMAP_FAILURE')})`, 'Remap failure'),
  ],
  looks: {
    Utilisation: { unit: 'percent' },
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
  description: 'The card’s model and UUID, as support asks for them.',
  family: GPU,
  width: 10,
  height: 4,
  queries: [rows(`max by (modelName, UUID) (${device('GPU_UTIL')})`)],
  columns: { modelName: { title: 'Model', width: 200 }, UUID: {} },
});

interface Line {
  expr: string;
  name: string;
  right?: { unit: string };
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
    looks: Object.fromEntries(
      queries.flatMap(({ name, right }) => (right ? [[name, { ...right, axis: 'right' as const }]] : []))
    ),
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
    variables: [host(), clusters(), node(), gpuVariable()],
    sections: [
      { panels: [now, identity] },
      {
        title: 'Work',
        panels: [
          lines(
            'Utilisation',
            'Share of time in which a kernel ran, and in which memory was read or written. It says that the GPU is busy, not that it is used well.',
            'percent',
            [
              { expr: `max(${device('GPU_UTIL')})`, name: 'Kernels' },
              { expr: `max(${device('MEM_COPY_UTIL')})`, name: 'Memory' },
            ],
            { max: 100 }
          ),
          lines(
            'Activity',
            'How well it is used: shares of cycles. High SM and low tensor activity is a model that waits for memory (DRAM high) or does not use the tensor cores.',
            'percentunit',
            [
              { expr: `max(${profile('SM_ACTIVE')})`, name: 'SM active' },
              { expr: `max(${profile('PIPE_TENSOR_ACTIVE')})`, name: 'Tensor cores active' },
              { expr: `max(${profile('DRAM_ACTIVE')})`, name: 'DRAM active' },
              { expr: `max(${profile('SM_OCCUPANCY')})`, name: 'SM occupancy' },
            ],
            { max: 1, family: PROFILING }
          ),
          lines('Memory', 'Allocated and free.', 'mbytes', [
            { expr: `max(${device('FB_USED')})`, name: 'Used' },
            { expr: `max(${device('FB_FREE')})`, name: 'Free' },
          ]),
          lines(
            'Power and temperature',
            'Heat that rises while power does not: look at the cooling. Power is on the left axis.',
            'watt',
            [
              { expr: `max(${device('POWER_USAGE')})`, name: 'Power' },
              { expr: `max(${device('GPU_TEMP')})`, name: 'GPU', right: { unit: 'celsius' } },
              { expr: `max(${device('MEMORY_TEMP')})`, name: 'Memory', right: { unit: 'celsius' } },
            ]
          ),
        ],
      },
      {
        title: 'What holds it back',
        panels: [
          lines('Clocks', 'A clock that falls under load: the GPU is throttled.', 'rotmhz', [
            { expr: `max(${device('SM_CLOCK')})`, name: 'SM' },
            { expr: `max(${device('MEM_CLOCK')})`, name: 'Memory' },
          ]),
          lines(
            'Throttled',
            'Share of time in which the GPU slowed itself down, because of its power limit or of heat.',
            'percentunit',
            [
              { expr: `max(${rate(device('POWER_VIOLATION'))}) / 1e6`, name: 'Power limit' },
              { expr: `max(${rate(device('THERMAL_VIOLATION'))}) / 1e6`, name: 'Heat' },
            ]
          ),
          lines(
            'NVLink',
            'To and from the other GPUs of the node.',
            'Bps',
            [
              { expr: `max(${profile('NVLINK_TX_BYTES')})`, name: 'Sent' },
              { expr: `max(${profile('NVLINK_RX_BYTES')})`, name: 'Received' },
            ],
            { family: PROFILING }
          ),
          lines(
            'PCIe',
            'To and from the machine.',
            'Bps',
            [
              { expr: `max(${profile('PCIE_TX_BYTES')})`, name: 'Sent' },
              { expr: `max(${profile('PCIE_RX_BYTES')})`, name: 'Received' },
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
