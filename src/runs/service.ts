import type { Service } from '../config/missing';
import type { RunSource } from './query';

/** The service that the runs of a source come from. */
export const serviceOfRuns = ({ kind }: RunSource): Service => (kind === 'fineTuning' ? 'Fine-tuning' : 'Metrics');
