// What lists that say why they are empty have in common, and the list of XID errors, which several dashboards have.
import { APPLICATION_CODES, UNKNOWN_XID, XID_CODES } from './xid.ts';
import { TWO_GPUS } from './allocation.ts';
import { type Look } from './display.ts';
import { GPU } from './families.ts';
import { alsoNamed } from './host.ts';
import { toGpu, toNode } from './links.ts';
import { list } from './panels.ts';
import {
  ANY_HOST,
  anywhere,
  BY_GPU,
  HOST,
  inCluster,
  lastIn,
  NO_FINDING,
  over,
  sentenceRow,
  withNode,
} from './promql.ts';
import { rows } from './queries.ts';
import { nodesWith } from './variables.ts';

export const NOT_COLLECTED =
  'Not collected: install the monitoring agent, and in a managed container cluster the GPU operator add-on.';

/**
 * Findings about GPUs, or why there are none, as a row with a sentence: nothing was found, the choice matches nothing, or the
 * metric isn't collected. So only a query that failed leaves a table empty. Two GPUs of each node tell.
 */
export function findings(found: string, metric: string, none: string): string {
  const any = anywhere(metric, TWO_GPUS);
  return [
    withNode(found),
    sentenceRow(`count(${inCluster(metric, TWO_GPUS)})`, none),
    sentenceRow(`count(${any})`, 'Nothing matches the choice above'),
    sentenceRow(`absent(${any})`, 'Not collected: see the description'),
  ].join(' or on () ');
}

/** What a column says in the row with the sentence of a list that found nothing. */
export const DASH = { [NO_FINDING]: { text: '–', color: 'text' } };

/** A column with a time. */
export const time = (title: string): Look => ({
  title,
  unit: 'dateTimeAsIso',
  width: 160,
  words: { '0': { text: 'before this range' } },
});

/** The column of a node, whose link needs that of its cluster. */
export const node: Look = { title: 'Node', link: toNode(true), minWidth: 165, wrap: true };
/** That of its cluster: several may have nodes of one name. */
export const CLUSTER: Look = { title: 'Cluster', width: 120, wrap: true };
/** The same in a table of few columns. */
export const WIDE_CLUSTER: Look = { title: 'Cluster', minWidth: 130 };

/** How far a GPU or a node is behind the median of its peers. */
export const BEHIND_PEERS: Look = {
  title: 'Behind',
  words: DASH,
  unit: 'percentunit',
  decimals: 0,
  width: 75,
  cell: 'color-text',
  steps: [
    [0, 'orange'],
    [0.2, 'red'],
  ],
};

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

/**
 * A column of codes: those that the catalog lays to an application are not the GPU's fault. None is red, because DCGM keeps a code until
 * the GPU is reset, which may be weeks after it has mattered.
 */
export const XID_CELL: Look = {
  title: 'XID',
  width: 60,
  cell: 'color-text',
  steps: [
    [0, 'text'],
    [1, 'orange'],
  ],
  words: {
    ...DASH,
    '0': { text: '–', color: 'text' },
    ...Object.fromEntries(APPLICATION_CODES.map((code) => [String(code), { text: String(code), color: 'text' }])),
  },
};

/** What the catalog says of each code. */
export const MEANINGS = Object.fromEntries(XID_CODES.map(({ code, meaning }) => [String(code), { text: meaning }]));

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

/** Nodes of the GPUs in {@link xidErrors}. */
export const withXid = () =>
  nodesWith('with_xid', `count by (${HOST}) (${SHOWN_XID})`, 'Nodes with GPUs that have an XID error');

/** GPUs whose driver has reported an error. A dashboard with it has the variable {@link withXid}. */
export const xidErrors = () =>
  list({
    title: 'XID errors at the end of the range',
    description: `GPUs whose driver has reported an error, with what it means and what to do first, from NVIDIA’s catalog of XID codes. DCGM keeps the last code until the GPU is reset, so a code is not news: see since when. A repeat of the same code cannot be seen. ${NOT_COLLECTED}`,
    family: GPU,
    ofFleet: true,
    isExplained: true,
    height: 6,
    queries: [
      rows(findings(xidWithAction(), 'DCGM_FI_DEV_XID_ERRORS', 'No XID error')),
      rows(withNode(`${lastIn(xidChanged)} or 0 * (${code(XID_OF_NODES)} > 0)`)),
    ],
    required: 'Value #A',
    computed: { meaning: ['Value #A', '*', '1'] },
    columns: {
      node: { ...node, width: 170 },
      cluster_id: CLUSTER,
      gpu: { title: 'GPU', link: toGpu(true), width: 50 },
      'Value #A': XID_CELL,
      'Value #B': time('Since'),
      meaning: {
        title: 'Meaning',
        words: { ...MEANINGS, ...DASH },
        cell: 'color-text',
        wrap: true,
      },
      action: { title: 'What to do', wrap: true },
    },
  });
