import React, { useMemo } from 'react';
import { EditorRow } from '@grafana/plugin-ui';
import type { RunComparisonQuery, RunsQuery } from '../../runs/query';
import { TextOption } from '../platform/TextOption';
import { ChoicesField } from '../tuning/ChoicesField';
import { BaselineField } from './BaselineField';
import type { FieldsProps } from './fieldsProps';

type Query = RunsQuery | RunComparisonQuery;

/** Which of the runs, and which GPUs are theirs. The table of the runs found has boxes for the same choice. */
export function ChosenRunsFields({ query, onChange, found }: FieldsProps<Query>) {
  const options = useMemo(() => found.map(({ id, name }) => ({ value: id, label: name })), [found]);
  return (
    <EditorRow>
      <TextOption
        label="GPU selector (optional)"
        tooltip="Label matchers of each run’s GPUs. $ and the name of a label of the run stands for its value. Without a selector, all GPUs during the run count."
        placeholder={query.source.kind === 'fineTuning' ? 'nodepool_name="$node_pool"' : 'cluster_id="$cluster_id"'}
        width={40}
        value={query.selector ?? ''}
        onChange={(selector) => onChange({ ...query, selector: selector || undefined })}
      />
      <ChoicesField
        label="Runs"
        itemLabel="run"
        wide
        tooltip="Tick runs in the table below, or use a dashboard variable such as $runs."
        placeholder="All runs"
        options={options}
        values={query.runs}
        onChange={(runs) => onChange({ ...query, runs })}
      />
      <BaselineField
        options={options}
        value={query.baseline}
        onChange={(baseline) => onChange({ ...query, baseline })}
      />
    </EditorRow>
  );
}
