import React, { useMemo } from 'react';
import type { ComboboxOption } from '@grafana/ui';
import type { Gateway, JobChoice, ModelChoice, StatusChoice } from '../fineTuning/Gateway';
import { ChoicesField } from './ChoicesField';
import { useList } from './useList';

interface Props {
  gateway: Gateway;
  values?: string[];
  onChange: (values: string[] | undefined) => void;
  /** An error that is shown elsewhere already. */
  shownError?: string;
}

interface JobsProps extends Props {
  /** Shown while nothing is chosen. */
  placeholder?: string;
}

/** Which jobs, by name. */
export function JobsField({ gateway, placeholder = 'All jobs', ...field }: JobsProps) {
  const { items, ...state } = useList(gateway.jobs);
  const options = useMemo(() => items.map(jobOption), [items]);
  return (
    <ChoicesField
      {...field}
      {...state}
      label="Jobs"
      itemLabel="job"
      wide
      tooltip="Choose by name, type a job's id, or use a dashboard variable such as $job."
      placeholder={placeholder}
      options={options}
    />
  );
}

/** Jobs of which statuses. */
export function StatusesField({ gateway, ...field }: Props) {
  const { items, ...state } = useList(gateway.statuses);
  const options = useMemo(() => items.map(statusOption), [items]);
  return (
    <ChoicesField {...field} {...state} label="Status" itemLabel="status" placeholder="Any status" options={options} />
  );
}

/** Jobs that were started from which models. */
export function ModelsField({ gateway, ...field }: Props) {
  const { items, ...state } = useList(gateway.models);
  const options = useMemo(() => items.map(modelOption), [items]);
  return (
    <ChoicesField
      {...field}
      {...state}
      label="Base model"
      itemLabel="model"
      tooltip="The model that a job started from."
      placeholder="Any model"
      options={options}
    />
  );
}

function jobOption({ id, name, model, status }: JobChoice): ComboboxOption {
  const facts = [name === id ? '' : id, status, model].filter(Boolean);
  return { value: id, label: name || id, description: facts.join(' · ') };
}

function statusOption({ status, jobs }: StatusChoice): ComboboxOption {
  return { value: status, description: numberOfJobs(jobs) };
}

function modelOption({ id, name, jobs }: ModelChoice): ComboboxOption {
  return { value: id, label: name || id, description: numberOfJobs(jobs) };
}

function numberOfJobs(jobs: number): string {
  return jobs === 1 ? '1 job' : `${jobs} jobs`;
}
