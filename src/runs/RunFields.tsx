import React, { type PropsWithChildren, type ReactNode } from 'react';
import { EditorRow, QueryOptionGroup } from '@grafana/plugin-ui';
import { t } from '../i18n';
import { ChoicesField } from '../fields/ChoicesField';
import { OneField } from '../fields/OneField';
import { TextOption } from '../fields/TextOption';
import { Hint } from '../help/Hint';
import type { FieldsProps } from '../types/definition';
import type { RunComparisonQuery } from '../types/runComparison/query';
import type { RunsQuery } from '../types/runs/query';
import { RunSourceFields } from './RunSourceFields';
import { useFoundRuns } from './useFoundRuns';

interface Props<Query extends RunsQuery | RunComparisonQuery> extends PropsWithChildren<FieldsProps<Query>> {
  /** Further options, in the group that is folded at first. */
  options?: ReactNode;
}

/** Runs: where they come from, which of them, what they are compared to, and what of them. */
export function RunFields<Query extends RunsQuery | RunComparisonQuery>(props: Props<Query>) {
  const { query, onChange, datasource, children, options } = props;
  const { options: found, notices, ...state } = useFoundRuns(props);
  return (
    <RunSourceFields query={query} onChange={onChange} datasource={datasource}>
      <EditorRow>
        <ChoicesField
          {...state}
          label={t('Runs')}
          wide
          tooltip={t('Choose by name, or use a dashboard variable such as $runs.')}
          placeholder={t('All runs')}
          options={found}
          values={query.runs}
          onChange={(runs) => onChange({ ...query, runs })}
        />
        <OneField
          label={t('Baseline')}
          optional
          tooltip={t('The run that the others are compared to. May be a dashboard variable such as $baseline.')}
          placeholder={t('None')}
          options={found}
          value={query.baseline}
          onChange={(baseline) => onChange({ ...query, baseline })}
        />
        {found.length === 0 && notices.map((notice) => <Hint key={notice} text={notice} />)}
      </EditorRow>
      {children}
      <EditorRow>
        <QueryOptionGroup
          title={t('Options')}
          collapsedInfo={[t('GPUs: {{which}}', { which: query.selector || t('of each run') })]}
        >
          <TextOption
            label={t('GPU selector (optional)')}
            tooltip={t(
              'Label matchers of each run’s GPUs. $ and the name of a label of the run stands for its value, {} for all GPUs. Without a selector, its labels, its pod or its Slurm job say which.'
            )}
            example={query.source.kind === 'fineTuning' ? 'nodepool_name="$node_pool"' : 'cluster_id="$cluster_id"'}
            width={40}
            value={query.selector ?? ''}
            onChange={(text) => onChange({ ...query, selector: text || undefined })}
          />
          {options}
        </QueryOptionGroup>
      </EditorRow>
    </RunSourceFields>
  );
}
