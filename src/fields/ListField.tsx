import React, { type ComponentProps, type PropsWithChildren } from 'react';
import useAsync from 'react-use/lib/useAsync';
import { EditorRow } from '@grafana/plugin-ui';
import type { ComboboxOption } from '@grafana/ui';
import { MEASURES } from '../catalog/measures';
import { t, translated } from '../i18n';
import { USUAL_METRICS } from '../types/runComparison/metrics';
import type { GpuCloud } from '../GpuCloud';
import { ChoicesField } from './ChoicesField';

/** Queries whose results have what is offered, and where. */
const OFFERED = {
  capacities: { refId: 'capacities', queryType: 'capacities' },
  placement: { refId: 'placement', queryType: 'placement', gpus: 1 },
};

interface List extends Pick<ComponentProps<typeof ChoicesField>, 'label' | 'placeholder' | 'tooltip' | 'wide'> {
  /** Loads what can be chosen in a query of a type. It rejects with a sentence for the user. */
  load: (from: GpuCloud['lists'], queryType?: string) => Promise<ComboboxOption[]>;
}

/** The options of queries that are choices from a list. */
const LISTS = {
  jobIds: {
    label: 'Jobs',
    placeholder: 'All jobs',
    wide: true,
    tooltip: "Choose by name, type a job's id, or use a dashboard variable such as $job.",
    load: async (lists) =>
      (await lists.jobs()).map(({ id, name, model, status }) => {
        const facts = [name === id ? '' : id, status, model].filter(Boolean);
        return { value: id, label: name || id, description: facts.join(' · ') };
      }),
  },
  statuses: {
    label: 'Status',
    placeholder: 'Any status',
    load: async (lists) =>
      (await lists.statuses()).map(({ status, jobs }) => ({ value: status, description: numberOfJobs(jobs) })),
  },
  models: {
    label: 'Base model',
    placeholder: 'Any model',
    tooltip: 'The model that a job started from.',
    load: async (lists) =>
      (await lists.models()).map(({ id, jobs }) => ({ value: id, description: numberOfJobs(jobs) })),
  },
  productNames: {
    label: 'Products',
    placeholder: 'All products',
    tooltip: "Choose, type a product's name such as a100.8x, or use a dashboard variable.",
    load: async (lists) => named(await lists.column(OFFERED.capacities, 'type')),
  },
  types: {
    label: 'GPU types',
    placeholder: 'All GPU types',
    tooltip:
      'Choose, type a GPU type such as h100 or a type of machine such as h100.8x, in full, or use a dashboard variable.',
    load: async (lists) => named(await lists.column(OFFERED.placement, 'type')),
  },
  locations: {
    label: 'Locations',
    placeholder: 'All locations',
    tooltip: 'Choose, type a location such as us-east1-a, or use a dashboard variable.',
    load: async (lists, queryType) =>
      named(await lists.column(queryType === 'placement' ? OFFERED.placement : OFFERED.capacities, 'location')),
  },
  levels: {
    label: 'Levels',
    placeholder: 'All levels',
    load: async () => named(LEVELS),
  },
  purposes: {
    label: 'Purposes',
    placeholder: 'All purposes',
    tooltip: 'What files were uploaded for. Data sets have the purpose fine-tune.',
    load: async () => named(PURPOSES),
  },
  metrics: {
    label: 'Metrics',
    placeholder: 'All metrics',
    tooltip: 'Losses, accuracies and other metrics that the jobs report.',
    load: async () => named(USUAL_METRICS),
  },
  measures: {
    label: 'Measures',
    placeholder: 'All measures that have a value',
    wide: true,
    load: async () => MEASURES.map(({ id: value, label }) => ({ value, label: t(label) })),
  },
  findings: {
    label: 'Findings',
    placeholder: 'All findings',
    load: async () => FINDINGS.map(translated),
  },
  show: {
    label: 'Show',
    placeholder: 'Jobs and checkpoints',
    wide: true,
    load: async () => DRAWN.map(translated),
  },
} satisfies Record<string, List>;

// Levels of events, and purposes of data sets and of what jobs write, by the convention that gateways follow.
const LEVELS = ['info', 'warn', 'error'];
const PURPOSES = ['fine-tune', 'fine-tune-results'];

/** What annotations of jobs draw. */
const DRAWN = [
  { value: 'jobs', label: 'Jobs', description: 'When each job began and how it ended' },
  { value: 'checkpoints', label: 'Checkpoints', description: 'A point for each checkpoint, with its metrics' },
];

/** What alert rules and annotations of training health are about. */
const FINDINGS = [
  { value: 'notFinite', label: 'Not finite', description: 'Values are not a number, or not reported any more' },
  { value: 'diverging', label: 'Diverging', description: 'The metric left its best value and does not come back' },
  { value: 'stalled', label: 'Stalled', description: 'No step comes for much longer than usual' },
  { value: 'late', label: 'Late', description: 'The run finishes after its estimate' },
  { value: 'overfitting', label: 'Overfitting', description: 'Validation worsens while training improves' },
  { value: 'eta', label: 'Estimated finish', description: 'For rules: the seconds until the run finishes' },
];

const named = (values: string[]): ComboboxOption[] => values.map((value) => ({ value }));

const numberOfJobs = (jobs: number): string => t(jobs === 1 ? '1 job' : '{{count}} jobs', { count: jobs });

export type ListOption = keyof typeof LISTS;

interface Props<Query> {
  option: ListOption & keyof Query;
  query: Query;
  onChange: (query: Query) => void;
  datasource: Pick<GpuCloud, 'lists'>;
}

/** An option of a query that is a choice of several from a list. */
export function ListField<Query extends object>(props: Props<Query>) {
  const { option, query, onChange, datasource } = props;
  const { lists } = datasource;
  const { load, ...look }: List = translated(LISTS[option]);
  const { queryType }: { queryType?: string } = query;
  const { value = NONE, loading, error } = useAsync(() => load(lists, queryType), [load, lists, queryType]);
  return (
    <ChoicesField
      {...look}
      options={value}
      loading={loading}
      error={error?.message}
      values={query[option] as string[] | undefined}
      onChange={(values) => onChange({ ...query, [option]: values })}
    />
  );
}

const NONE: never[] = [];

interface RowProps<Query> extends PropsWithChildren<Omit<Props<Query>, 'option'>> {
  options: ReadonlyArray<Props<Query>['option']>;
}

/** Such options in a row, with further fields after them. */
export const ListRow = <Query extends object>({ options, children, ...props }: RowProps<Query>) => (
  <EditorRow>
    {options.map((option) => (
      <ListField key={option} {...props} option={option} />
    ))}
    {children}
  </EditorRow>
);
