import type { CapacitiesQuery } from './query';
import type { Definition } from '../definition';

export const capacities: Definition<CapacitiesQuery> = {
  service: 'mainApi',
  label: 'Capacities',
  description: 'How many machines of each product are available in each location',
  options: { format: 'text', productNames: 'list', locations: 'list' },
  inAlerts: true,
  needs: 'Main API',
  blank: ({ alerting }) => (alerting ? { format: 'number' } : {}),
  load: () => import(/* webpackChunkName: "fields" */ './Fields'),
};
