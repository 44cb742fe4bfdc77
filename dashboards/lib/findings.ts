// What lists that say why they are empty have in common.
import { APPLICATION_CODES, XID_CODES } from './xid.ts';
import { TWO_GPUS } from './allocation.ts';
import { percent, type Look } from './display.ts';
import { toNode } from './links.ts';
import { anywhere, inCluster, NO_FINDING, sentenceRow, withNode } from './promql.ts';

export const NOT_COLLECTED =
  'Not collected: install the monitoring agent, and in a managed container cluster the GPU operator add-on.';

/**
 * Findings about GPUs, or why there are none, as a row with a sentence: nothing was found, the choice matches nothing, or the
 * metric isn't collected. So only a query that failed leaves a table empty. Two GPUs of each node tell.
 */
export function findings(found: string, metric: string, none: string): string {
  return [
    withNode(found),
    sentenceRow(`count(${inCluster(metric, TWO_GPUS)})`, none),
    sentenceRow(`count(${anywhere(metric, TWO_GPUS)})`, 'Nothing matches the choice above'),
    sentenceRow('vector(1)', 'Not collected: see the description'),
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

/** The column of a cluster: several may have nodes of one name. */
export const CLUSTER: Look = { title: 'Cluster', width: 120, wrap: true };
/** Those of a node, whose link needs that of its cluster. */
export const NODE_COLUMNS = {
  node: { title: 'Node', link: toNode(true), minWidth: 165, wrap: true },
  cluster_id: CLUSTER,
} satisfies Record<string, Look>;
/** The same in a table of few columns. */
export const WIDE_CLUSTER: Look = { title: 'Cluster', minWidth: 130 };

/** How far a GPU or a node is behind the median of its peers. */
export const BEHIND_PEERS: Look = {
  ...percent('Behind', 75),
  words: DASH,
  cell: 'color-text',
  steps: [
    [0, 'orange'],
    [0.2, 'red'],
  ],
};

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

/** What the catalog says of the code in another column. */
export const MEANING: Look = {
  title: 'Meaning',
  words: { ...Object.fromEntries(XID_CODES.map(({ code, meaning }) => [String(code), { text: meaning }])), ...DASH },
  cell: 'color-text',
  wrap: true,
};
