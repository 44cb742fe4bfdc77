import React from 'react';
import { css } from '@emotion/css';
import { EditorRow } from '@grafana/plugin-ui';
import { Text } from '@grafana/ui';
import { Configured } from '../../config/Configured';
import { QUERY_TYPES, typesOffered } from '../../queryTypes';
import { switchRunType, withSource } from '../../runs/newQuery';
import { rowProblem, runProblem, sourceProblem } from '../../runs/problem';
import type { RunQuery, RunQueryType, RunSource } from '../../runs/query';
import { serviceOfRuns } from '../../runs/service';
import { pickOwnFields } from '../../saved/ownFields';
import { EditorStack } from '../EditorStack';
import type { GpuCloudQueryEditorProps } from '../editorProps';
import { Picker } from '../Picker';
import { ChosenRunsFields } from './ChosenRunsFields';
import { ComparisonFields } from './ComparisonFields';
import type { FieldsProps } from './fieldsProps';
import { FoundRunsTable } from './FoundRunsTable';
import { MeasuresFields } from './MeasuresFields';
import { RunAnnotationsFields } from './RunAnnotationsFields';
import { RunSourceFields, SourceKindField } from './RunSourceFields';
import { useFoundRuns } from './useFoundRuns';

const DESCRIPTIONS: Record<RunQueryType, string> = {
  runComparison: 'An expression or a training metric over each run, all on one axis',
  runs: 'A row for each run: GPU-hours, utilization, energy, cost, …',
  runAnnotations: 'When runs began and ended',
};

const problemOf = (query: RunQuery): string | undefined => runProblem(query) ?? rowProblem(query);

interface Props extends GpuCloudQueryEditorProps {
  query: RunQuery;
}

/** Runs: where they come from, which of them, and what of them. Every change that leaves nothing open runs the query. */
export function RunsEditor({ query, onChange, onRunQuery, datasource, app, range }: Props) {
  const { source } = query;
  const change = (changed: RunQuery) => {
    onChange(pickOwnFields(changed));
    if (!problemOf(changed)) {
      onRunQuery();
    }
  };
  const changeSource = (changed: RunSource) => change(withSource(query, changed));

  return (
    <EditorStack>
      <EditorRow>
        <Picker
          aria-label="Show"
          options={typesOffered(query, app).map((value) => ({
            value,
            label: QUERY_TYPES[value].label,
            description: DESCRIPTIONS[value],
          }))}
          value={query.queryType}
          onChange={(type) => change(switchRunType(query, type, app))}
        />
      </EditorRow>
      <SourceKindField source={source} onChange={changeSource} />
      <Configured service={serviceOfRuns(source)} datasource={datasource}>
        <RunSourceFields source={source} onChange={changeSource} gateway={datasource.gateway} />
        <RunFields query={query} onChange={change} datasource={datasource} app={app} range={range} />
      </Configured>
    </EditorStack>
  );
}

type RunFieldsProps = Pick<Props, 'query' | 'datasource' | 'app' | 'range'> & { onChange: (query: RunQuery) => void };

function RunFields({ query, onChange, datasource, app, range }: RunFieldsProps) {
  const selector = 'selector' in query ? query.selector : undefined;
  const found = useFoundRuns(datasource, { source: query.source, selector }, range);
  const problem = problemOf(query);
  const fields = { onChange, app, found: found.items };
  return (
    <>
      {query.queryType !== 'runAnnotations' && <ChosenRunsFields {...fields} query={query} />}
      {!sourceProblem(query.source) && (
        <EditorRow>
          {/* A table would make the row as wide as itself. */}
          <div className={narrow}>
            <FoundRunsTable
              found={found}
              chosen={query.runs}
              onChosen={(runs) => onChange({ ...query, runs })}
              {...(query.queryType !== 'runAnnotations' && {
                baseline: query.baseline,
                onBaseline: (baseline: string | undefined) => onChange({ ...query, baseline }),
              })}
            />
          </div>
        </EditorRow>
      )}
      <TypeFields {...fields} query={query} />
      {problem && (
        <EditorRow>
          <Text color="secondary">{problem}</Text>
        </EditorRow>
      )}
    </>
  );
}

function TypeFields({ query, ...fields }: FieldsProps<RunQuery>) {
  switch (query.queryType) {
    case 'runs':
      return <MeasuresFields {...fields} query={query} />;
    case 'runComparison':
      return <ComparisonFields {...fields} query={query} />;
    case 'runAnnotations':
      return <RunAnnotationsFields {...fields} query={query} />;
  }
}

const narrow = css({ minWidth: 0, width: '100%' });
