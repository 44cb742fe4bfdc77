import React from 'react';
import type { Aggregate, ListQuery } from '../../platform/query';
import { ChoiceField } from '../ChoiceField';

const AGGREGATES: Array<{ value: Aggregate; label: string; description: string }> = [
  { value: 'none', label: 'Items', description: 'The numbers of each item, over time' },
  {
    value: 'count',
    label: 'Count per interval',
    description: 'How many items each interval has, labeled by the columns of text',
  },
];

interface Props {
  query: ListQuery;
  onChange: (query: ListQuery) => void;
}

/** What is drawn of a list over time. A table has no such choice. */
export function AggregateField({ query, onChange }: Props) {
  if (!query.timeColumn) {
    return null;
  }
  return (
    <ChoiceField
      label="Draw"
      tooltip="The interval is that of the query options. Choose columns of text to split a count."
      options={AGGREGATES}
      value={query.aggregate ?? 'none'}
      onChange={(aggregate) => onChange({ ...query, aggregate: aggregate === 'none' ? undefined : aggregate })}
    />
  );
}
