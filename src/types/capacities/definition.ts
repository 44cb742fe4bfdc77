import type { CapacitiesQuery } from './query';
import type { Definition } from '../definition';

export const capacities: Definition<CapacitiesQuery> = {
  service: 'mainApi',
  label: 'Capacities',
  description: 'How much of each product is to be had where',
  options: { format: 'text', productNames: 'list', locations: 'list' },
  inAlerts: true,
  needs: 'Main API',
  blank: ({ alerting }) => (alerting ? { format: 'number' } : {}),
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
