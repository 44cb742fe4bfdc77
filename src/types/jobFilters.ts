/** Which jobs a query is about. In each list, no entry means all. Every entry may be a dashboard variable. */
export interface JobFilters {
  jobIds?: string[];
  statuses?: string[];
  models?: string[];
}

/** The options that select jobs, by name, by status, by model. */
export const JOB_OPTIONS = ['jobIds', 'statuses', 'models'] as const;
export const JOB_FILTERS = { jobIds: 'list', statuses: 'list', models: 'list' } as const;
