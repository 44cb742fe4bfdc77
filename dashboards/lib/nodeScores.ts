// What kept failing on each node over the time that the platform keeps samples. A function of a window of 30 days reads 430 million
// samples of a metric of 10,000 GPUs, and so does a subquery, however few its steps are. Single looks read a few of each.
import { ofHardware } from './xid.ts';
import { ofMachine } from './host.ts';
import { BY_GPU, BY_NODE, HOST, inCluster, ofFew, over, vendor, withLabel } from './promql.ts';

/** A day less than the platform keeps: what is asked of its oldest day, it may have deleted. */
const DAYS = 29;
export const SCORED = `${DAYS} days`;

/** How long ago is looked: every four days, to a day ago. */
const LOOKS = Array.from({ length: Math.ceil(DAYS / 4) }, (_, look) => `${DAYS - 4 * look}d`);

/** Of counters then also of younger clusters: what they counted before may be of years. */
const LAST_LOOKS = ['6h', '1h'];

const BY_PORT = 'cluster_id, vm_name, hca_number';

/**
 * How much a counter has grown since the first look at which it was there, where that is above 0: by all of it if it began again, or is
 * younger than the last look. Aggregated, because an exporter that moves gives its series other labels.
 */
function grown(selector: string, by: string): string {
  const at = (offset: string) => `max by (${by}) (${over('last_over_time', selector, '15m', offset)})`;
  const looks = [...LOOKS, ...LAST_LOOKS].map((ago) => at(` offset ${ago}`));
  // No GPU has had more double-bit errors than it counts, which is none of most; ports count what was long ago.
  const few = (expr: string) => (by === BY_GPU ? ofFew(expr, `${at('')} > 0`) : expr);
  return few(`((${at('')} > 0) - (${looks.join(' or ')}) >= 0 or ${at('')} > 0)`);
}

/** A metric of GPUs, and one of machines, of the nodes that match. */
const gpus = (metric: string, nodes: string): string => inCluster(metric, ...(nodes ? [`${HOST}=~"${nodes}"`] : []));
const ofMachines = (metric: string, nodes: string): string =>
  `${vendor(metric)}{cluster_id=~"$cluster"${nodes && `, vm_name=~"${nodes}"`}}`;

/**
 * The codes of each GPU in the range, and when it was looked: DCGM keeps one until the GPU is reset, or until that of a failed job follows.
 */
const codes = (nodes: string): string => {
  const code = gpus('DCGM_FI_DEV_XID_ERRORS', nodes);
  return [
    withLabel(over('max_over_time', code, '$__range'), 'ago', ''),
    ...LOOKS.map((ago) => withLabel(`${code} offset ${ago}`, 'ago', ago)),
  ].join(' or ');
};

/**
 * Numbers of each node, by what they count. A node without any has no series. A failed job says nothing of its node.
 * @param nodes which nodes, as a regular expression: all if it is empty
 */
export const failuresOf = (nodes = '') => ({
  xid: `count by (${BY_NODE}) (max by (${BY_GPU}) ${ofHardware(`(${codes(nodes)})`)})`,
  ecc: `sum by (${BY_NODE}) (${grown(gpus('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL', nodes), BY_GPU)}) > 0`,
  remapping: `count by (${BY_NODE}) (max by (${BY_GPU}) (${gpus('DCGM_FI_DEV_ROW_REMAP_FAILURE', nodes)} > 0))`,
  links: `sum by (${BY_NODE}) (${ofMachine(grown(ofMachines('ib_port_link_downed', nodes), BY_PORT))}) > 0`,
});

/** The failures of each node together. The label keeps those of one node apart until they are added. */
export const score = (nodes = ''): string =>
  `sum by (${BY_NODE}) (${Object.entries(failuresOf(nodes))
    .map(([kind, expr]) => withLabel(expr, 'kind', kind))
    .join(' or ')})`;
