// What kept failing on each node over the time that the platform keeps samples. A function of a window of 30 days reads 430 million
// samples of a metric of 10,000 GPUs, and so does a subquery, however few its steps are. Single looks read a few of each.
import { APPLICATION_CODES } from '../../src/catalog/gpuTime.ts';
import { ofMachine } from './host.ts';
import { HOST, inCluster, over, vendor } from './promql.ts';

/** A day less than the platform keeps: what is asked of its oldest day, it may have deleted. */
const DAYS = 29;
export const SCORED = `${DAYS} days`;

const BY_NODE = `by (cluster_id, ${HOST})`;

/** How long the looks are apart, in days. */
const LOOK = 3;

const BY_GPU = `by (cluster_id, ${HOST}, gpu)`;
const BY_PORT = `by (cluster_id, ${HOST}, hca_number)`;

/** The newest samples of series a time ago. */
type Look = (offset: string) => string;

const looksAt =
  (selector: string): Look =>
  (offset) =>
    over('last_over_time', selector, '15m', offset);

/**
 * How much a counter has grown since the first look at which it was there, where that is above 0: by all of it if it began again, or is
 * younger than the last look. Aggregated, because an exporter that moves gives its series other labels.
 */
function grown(look: Look, by: string): string {
  const at = (offset: string) => `max ${by} (${look(offset)})`;
  const looks = Array.from({ length: Math.ceil(DAYS / LOOK) }, (_, index) => at(` offset ${DAYS - index * LOOK}d`));
  return `((${at('')} > 0) - (${looks.join(' or ')}) >= 0 or ${at('')} > 0)`;
}

/** A failed job says nothing of its node: codes that usually come from the application don't count. */
const OF_APPLICATIONS = APPLICATION_CODES.map((code) => `!= ${code}`);

/** The last code of each GPU, looked at every three days: DCGM keeps it until the GPU is reset. */
const CODES = Array.from({ length: Math.ceil(DAYS / LOOK) }, (_, look) => look * LOOK)
  .map((days) => `${inCluster('DCGM_FI_DEV_XID_ERRORS')}${days > 0 ? ` offset ${days}d` : ''} > 0`)
  .join(' or ');

const ports = looksAt(`${vendor('ib_port_link_downed')}{cluster_id=~"$cluster"}`);
const DOWN = grown((offset) => ofMachine(ports(offset)), BY_PORT);
const ofGpus = (metric: string): string => grown(looksAt(inCluster(metric)), BY_GPU);

/** Numbers of each node, by what they count. A node without any has no series. */
export const FAILURES = {
  xid: `count ${BY_NODE} (max ${BY_GPU} ((${CODES}) ${OF_APPLICATIONS.join(' ')}))`,
  ecc: `sum ${BY_NODE} (${ofGpus('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL')}) > 0`,
  remapping: `count ${BY_NODE} (max ${BY_GPU} (${inCluster('DCGM_FI_DEV_ROW_REMAP_FAILURE')} > 0))`,
  links: `sum ${BY_NODE} (${DOWN}) > 0`,
};

/** Seconds for which the hottest GPU of each node was slowed down by heat. */
export const SLOWED_BY_HEAT = `max ${BY_NODE} (${ofGpus('DCGM_FI_DEV_THERMAL_VIOLATION')}) / $throttled_in`;

/** The failures of each node together. The label keeps those of one node apart until they are added. */
export const SCORE = `sum ${BY_NODE} (${Object.entries(FAILURES)
  .map(([kind, expr]) => `label_replace(${expr}, "kind", "${kind}", "", "")`)
  .join(' or ')})`;
