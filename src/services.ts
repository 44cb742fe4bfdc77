/** What a query goes to. PromQL goes to the metrics. */
export type QueryService = 'metrics' | TypedService;
export type TypedService = 'fineTuning' | 'runs' | 'training' | 'mainApi';

interface Service {
  /** Its name in editors. */
  label: string;
  description: string;
}

/** The first choice of every query, in the order of the editor. */
export const SERVICES: Record<QueryService, Service> = {
  metrics: { label: 'Metrics', description: 'GPUs, nodes, network and storage, in PromQL' },
  fineTuning: {
    label: 'Fine-tuning',
    description: 'Jobs, checkpoints, training curves, events and files',
  },
  runs: {
    label: 'Runs',
    description: 'Training runs side by side: their curves, GPU-hours, energy and cost',
  },
  training: {
    label: 'Training health',
    description: 'What is wrong with training runs, since when, and when they will finish',
  },
  mainApi: {
    label: 'Main API',
    description: 'What is available where, and any other list of the main API',
  },
};
