import type { PlacementQuery } from './query';
import type { Definition } from '../definition';

/** A machine's worth. */
const NEW_GPUS = '8';

export const placement: Definition<PlacementQuery> = {
  service: 'mainApi',
  label: 'Placement',
  description: 'Where a number of GPUs can run now, within capacities, quotas and own idle nodes',
  options: { gpus: 'text', format: 'text', types: 'list', locations: 'list' },
  inAlerts: true,
  blank: ({ alerting }) => ({ gpus: NEW_GPUS, ...(alerting && { format: 'number' }) }),
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
