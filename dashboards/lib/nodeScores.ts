// What kept failing on each node over the time that the platform keeps samples. A function of a window of 30 days reads 430 million
// samples of a metric of 10,000 GPUs, and so does a subquery, however few its steps are. Single looks read one sample each.
import { APPLICATION_CODES } from '../../src/catalog/gpuTime.ts';
import { ofMachine } from './host.ts';
import { eachName, HOST, inCluster, vendor } from './promql.ts';

const DAYS = 30;
export const SCORED = `${DAYS} days`;

const BY_NODE = `by (cluster_id, ${HOST})`;

/** How much a counter has grown, where it is above 0: by all of it if it began again, or is younger. */
const grown = (selector: string): string =>
  eachName(selector, (one) => `((${one} > 0) - ${one} offset ${DAYS}d >= 0 or ${one} > 0)`);

/** A failed job says nothing of its node: codes that usually come from the application don't count. */
const OF_APPLICATIONS = APPLICATION_CODES.map((code) => `!= ${code}`);

/** The last code of each GPU, looked at every three days: DCGM keeps it until the GPU is reset. */
const LOOK = 3;
const CODES = Array.from({ length: DAYS / LOOK }, (_, look) => look * LOOK)
  .map((days) => `${inCluster('DCGM_FI_DEV_XID_ERRORS')}${days > 0 ? ` offset ${days}d` : ''} > 0`)
  .join(' or ');

const DOWN = grown(`${vendor('ib_port_link_downed')}{cluster_id=~"$cluster"}`);

/** Numbers of each node, by what they count. A node without any has no series. */
export const FAILURES = {
  xid: `count ${BY_NODE} ((${CODES}) ${OF_APPLICATIONS.join(' ')})`,
  ecc: `sum ${BY_NODE} (${grown(inCluster('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL'))}) > 0`,
  remapping: `count ${BY_NODE} (${inCluster('DCGM_FI_DEV_ROW_REMAP_FAILURE')} > 0)`,
  links: `sum ${BY_NODE} (${ofMachine(DOWN)}) > 0`,
};

/** Seconds for which the hottest GPU of each node was slowed down by heat. */
export const SLOWED_BY_HEAT = `max ${BY_NODE} (${grown(inCluster('DCGM_FI_DEV_THERMAL_VIOLATION'))}) / $throttled_in`;

/** The failures of each node together. The label keeps those of one node apart until they are added. */
export const SCORE = `sum ${BY_NODE} (${Object.entries(FAILURES)
  .map(([kind, expr]) => `label_replace(${expr}, "kind", "${kind}", "", "")`)
  .join(' or ')})`;
