import React, { type PropsWithChildren, type ReactNode } from 'react';
import { css } from '@emotion/css';
import { EditorRow } from '@grafana/plugin-ui';
import type { FieldsProps } from '../types/definition';
import { sourceProblem } from '../types/runSource';
import { ChosenRunsFields } from './ChosenRunsFields';
import { FoundRunsTable } from './FoundRunsTable';
import type { RunComparisonQuery } from '../types/runComparison/query';
import type { RunsQuery } from '../types/runs/query';
import { RunSourceFields } from './RunSourceFields';
import { useFoundRuns } from './useFoundRuns';

interface Props<Query extends RunsQuery | RunComparisonQuery> extends PropsWithChildren<FieldsProps<Query>> {
  /** Further options, in the group that is folded at first. */
  options?: ReactNode;
}

/** Runs: where they come from, which of them, and what of them. The runs found are below, where they move no field. */
export function RunFields<Query extends RunsQuery | RunComparisonQuery>(props: Props<Query>) {
  const { query, onChange, datasource, data, children, options } = props;
  const found = useFoundRuns(props);
  return (
    <RunSourceFields query={query} onChange={onChange} datasource={datasource}>
      {children}
      <ChosenRunsFields query={query} onChange={onChange} found={found.items} options={options} />
      {!sourceProblem(query.source) && (
        <EditorRow>
          {/* A table would make the row as wide as itself. */}
          <div className={narrow}>
            <FoundRunsTable
              found={found}
              timeZone={data?.request?.timezone}
              chosen={query.runs}
              onChosen={(runs) => onChange({ ...query, runs })}
              baseline={query.baseline}
              onBaseline={(baseline) => onChange({ ...query, baseline })}
            />
          </div>
        </EditorRow>
      )}
    </RunSourceFields>
  );
}

const narrow = css({ minWidth: 0, width: '100%' });
