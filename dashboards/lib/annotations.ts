import { dataSource } from './dataSource.ts';
import type { Panel } from './panels.ts';
import type { TrainingHealthQuery } from '../../src/types/trainingHealth/query.ts';
import type { FineTuningAnnotationsQuery } from '../../src/types/jobAnnotations/query.ts';
import type { JobFilters } from '../../src/types/jobFilters.ts';

/** What is drawn over panels of its dashboard. */
export interface Annotation {
  name: string;
  query: FineTuningAnnotationsQuery | TrainingHealthQuery;
  /** Without any, it is drawn over none until somebody switches it on, and then over all. */
  over: Panel[];
}

/**
 * Fine-tuning jobs as points, or as regions where few overlap, and their checkpoints.
 * @param filters which jobs: variables, or all if there are none
 */
export const fineTuning = (filters: JobFilters = {}, over: Panel[] = []): Annotation => ({
  name: 'Fine-tuning jobs and checkpoints',
  query: {
    refId: 'Anno',
    queryType: 'fineTuningAnnotations',
    ...filters,
    show: ['jobs', 'checkpoints'],
  },
  over,
});

/** Since when something is wrong with fine-tuning jobs, as points: red, yellow, and blue for what is for information. */
export const findingsAboutJobs = (filters: JobFilters, over: Panel[]): Annotation => ({
  name: 'Findings about jobs',
  query: { refId: 'Anno', queryType: 'trainingHealth', ...filters, format: 'annotations' },
  over,
});

/** As Grafana saves it. Blue, or Grafana would give running jobs and what is for information another color. */
export const saved = ({ name, query, over }: Annotation, numberOf: (panel: Panel) => number) => ({
  name,
  datasource: dataSource,
  enable: over.length > 0,
  iconColor: 'blue',
  target: query,
  filter: over.length > 0 ? { exclude: false, ids: over.map(numberOf) } : undefined,
});
