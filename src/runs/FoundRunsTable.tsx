import React from 'react';
import { css } from '@emotion/css';
import { dateTimeFormat, formattedValueToString, getValueFormat, type GrafanaTheme2 } from '@grafana/data';
import type { TimeZone } from '@grafana/schema';
import { Alert, Button, Checkbox, LoadingPlaceholder, ScrollContainer, Stack, Text, useStyles2 } from '@grafana/ui';
import { Hint } from '../help/Hint';
import type { Result } from '../query/useResult';
import type { FoundRun } from './useFoundRuns';

interface Props {
  found: Result<FoundRun>;
  /** Ids of the runs that are ticked. */
  chosen: string[] | undefined;
  onChosen: (ids: string[] | undefined) => void;
  baseline: string | undefined;
  onBaseline: (id: string | undefined) => void;
  /** The dashboard's. */
  timeZone?: TimeZone;
}

/** How many runs are listed. */
const LISTED = 50;

/** The runs that were found, newest first, each with a box to choose it. */
export function FoundRunsTable({ found, ...choice }: Props) {
  const { items: runs, loading, notices, error } = found;
  if (error) {
    return (
      <Alert severity="warning" title="The runs could not be listed" bottomSpacing={0}>
        {error}
      </Alert>
    );
  }
  if (loading && runs.length === 0) {
    return <LoadingPlaceholder text="Looking for runs" />;
  }
  return (
    <Stack direction="column" gap={1}>
      {notices.map((notice) => (
        <Hint key={notice} text={notice} />
      ))}
      {runs.length > 0 && <RunTable runs={runs} {...choice} />}
      {runs.length === 0 && notices.length === 0 && (
        <Text color="secondary">No runs in this time range. Choose a longer range or other filters.</Text>
      )}
    </Stack>
  );
}

function RunTable({
  runs,
  chosen = [],
  onChosen,
  baseline,
  onBaseline,
  timeZone,
}: Omit<Props, 'found'> & { runs: FoundRun[] }) {
  const styles = useStyles2(getStyles);
  const more = runs.length - LISTED;
  const toggle = (id: string) => {
    const toggled = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    onChosen(toggled.length > 0 ? toggled : undefined);
  };
  return (
    <ScrollContainer maxHeight={styles.maxHeight}>
      <table className={styles.table} aria-label="Runs found">
        <thead>
          <tr>
            {['Run', 'Baseline', 'Status', 'Start', 'Length', 'GPUs', 'Which GPUs'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.slice(0, LISTED).map((run) => (
            <tr key={run.id}>
              <td>
                <Checkbox label={run.name} value={chosen.includes(run.id)} onChange={() => toggle(run.id)} />
              </td>
              <td>
                <Button
                  size="sm"
                  variant="secondary"
                  fill={run.id === baseline ? 'solid' : 'outline'}
                  icon={run.id === baseline ? 'check' : undefined}
                  aria-pressed={run.id === baseline}
                  aria-label={`Baseline: ${run.name}`}
                  onClick={() => onBaseline(run.id === baseline ? undefined : run.id)}
                >
                  Baseline
                </Button>
              </td>
              <td>{run.status}</td>
              <td>{dateTimeFormat(run.start, { format: 'YYYY-MM-DD HH:mm', timeZone })}</td>
              <td>{lengthOf(run)}</td>
              <td>{run.gpus ?? '–'}</td>
              <td>{ATTRIBUTIONS[run.attribution ?? ''] ?? run.attribution}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <Text color="secondary">and {more} older</Text>}
    </ScrollContainer>
  );
}

/** How the GPUs of a run are known. */
const ATTRIBUTIONS: Record<string, string> = {
  labels: 'By the labels of the run',
  selector: 'By the GPU selector',
  all: 'All GPUs, by {}',
  pod: 'Those of its pod',
  hpc_job: 'Those of its Slurm job',
  nodes: 'All of its nodes',
  pool: 'All of its node pool',
  unknown: 'Not known',
};

const lengthOf = ({ length }: FoundRun): string => formattedValueToString(getValueFormat('s')(length, 1));

const getStyles = (theme: GrafanaTheme2) => ({
  maxHeight: theme.spacing(40),
  table: css({
    'th, td': { padding: theme.spacing(0.5, 2, 0.5, 0), textAlign: 'left', verticalAlign: 'middle' },
    'td:nth-child(n + 3)': { whiteSpace: 'nowrap' },
    // A job's name can be longer than the table, and a narrow table must not break it into letters.
    'td:first-child': { maxWidth: theme.spacing(40), minWidth: theme.spacing(24), overflowWrap: 'anywhere' },
    th: { color: theme.colors.text.secondary, fontWeight: theme.typography.fontWeightMedium },
    tr: { borderBottom: `1px solid ${theme.colors.border.weak}` },
  }),
});
