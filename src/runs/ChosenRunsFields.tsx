import React, { useMemo, type ReactNode } from 'react';
import { EditorRow, QueryOptionGroup } from '@grafana/plugin-ui';
import { ChoicesField } from '../fields/ChoicesField';
import { TextOption } from '../fields/TextOption';
import { BaselineField } from './BaselineField';
import type { RunComparisonQuery } from '../types/runComparison/query';
import type { RunsQuery } from '../types/runs/query';
import type { FoundRun } from './useFoundRuns';

interface Props<Query> {
  query: Query;
  onChange: (query: Query) => void;
  found: FoundRun[];
  /** Further options. */
  options?: ReactNode;
}

/** Options that most queries leave as they are: which runs and which GPUs are theirs, and what they are compared to. */
export function ChosenRunsFields<Query extends RunsQuery | RunComparisonQuery>(props: Props<Query>) {
  const { query, onChange, found, options } = props;
  const choices = useMemo(() => found.map(({ id, name }) => ({ value: id, label: name })), [found]);
  const nameOf = (id: string) => found.find((run) => run.id === id)?.name ?? id;
  const { runs = [], baseline, selector } = query;
  return (
    <EditorRow>
      <QueryOptionGroup
        title="Options"
        collapsedInfo={[
          `Runs: ${runs.map(nameOf).join(', ') || 'all'}`,
          `Baseline: ${baseline ? nameOf(baseline) : 'none'}`,
          `GPUs: ${selector || 'of each run'}`,
        ]}
      >
        <ChoicesField
          label="Runs"
          itemLabel="run"
          wide
          tooltip="Tick runs in the table below, or use a dashboard variable such as $runs."
          placeholder="All runs"
          options={choices}
          values={query.runs}
          onChange={(chosen) => onChange({ ...query, runs: chosen })}
        />
        <BaselineField
          options={choices}
          value={query.baseline}
          onChange={(chosen) => onChange({ ...query, baseline: chosen })}
        />
        <TextOption
          label="GPU selector (optional)"
          tooltip="Label matchers of each run’s GPUs. $ and the name of a label of the run stands for its value, {} for all GPUs. Without a selector, its labels, its pod or its Slurm job say which."
          placeholder={query.source.kind === 'fineTuning' ? 'nodepool_name="$node_pool"' : 'cluster_id="$cluster_id"'}
          width={40}
          value={selector ?? ''}
          onChange={(text) => onChange({ ...query, selector: text || undefined })}
        />
        {options}
      </QueryOptionGroup>
    </EditorRow>
  );
}
