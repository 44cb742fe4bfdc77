import React, { useId, useState } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Badge, Card, Stack, Text, useStyles2 } from '@grafana/ui';
import type { Chosen, GroupEntry } from './entries';
import { FamilyTable } from './FamilyTable';

interface Props {
  group: GroupEntry;
  /** Shows the metrics, which are folded otherwise. */
  isOpen: boolean;
  onInsert: (chosen: Chosen) => void;
}

const INTERVALS = { '30s': '30 seconds', '1m': 'minute', '5m': '5 minutes' };

/** One subject: what it is about, whether it is here, its queries and its metrics. */
export function GroupSection({ group, isOpen, onInsert }: Props) {
  const styles = useStyles2(getStyles);
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.group}>
      <Stack alignItems="center" gap={1}>
        <h3 id={id} className={styles.title}>
          {group.name}
        </h3>
        {!group.areExamples && <Presence group={group} />}
      </Stack>
      <Text element="p" color="secondary">
        {group.description} A sample every {INTERVALS[group.interval]}.
        {group.families.some(({ isHere }) => !isHere) && ` It takes: ${group.needs}`}
      </Text>
      {group.queries.map((query) => (
        <Card key={query.name} noMargin disabled={query.missing.length > 0} onClick={() => onInsert(query)}>
          <Card.Heading>{query.name}</Card.Heading>
          <Card.Description>
            {query.missing.length > 0 ? `Not here: ${query.missing.join(', ')}` : query.description}
          </Card.Description>
          <Card.Meta>
            <code className={styles.code}>{query.expr}</code>
          </Card.Meta>
        </Card>
      ))}
      {group.families.length > 0 && <Families group={group} isOpen={isOpen} onInsert={onInsert} />}
    </section>
  );
}

/** Folded, because there are more metrics than anybody reads at once. */
function Families({ group: { families, labels }, isOpen, onInsert }: Props) {
  const styles = useStyles2(getStyles);
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details open={isOpen} onToggle={() => setWasOpened(true)}>
      <summary className={styles.summary}>
        {families.length === 1 ? '1 metric' : `${families.length} metrics`}, labeled by {labels.join(', ')}
      </summary>
      {(isOpen || wasOpened) && <FamilyTable families={families} onInsert={onInsert} />}
    </details>
  );
}

/** A search may have left queries only; their metrics decide then. */
function Presence({ group: { families, queries, isPresenceKnown } }: { group: GroupEntry }) {
  if (!isPresenceKnown) {
    return <Badge color="darkgrey" icon="question-circle" text="Not known if here" />;
  }
  const shown = families.length > 0 ? families.map(({ isHere }) => isHere) : queries.map((q) => q.missing.length === 0);
  const here = shown.filter(Boolean).length;
  if (here === shown.length) {
    return <Badge color="green" icon="check" text="Here" />;
  }
  return here === 0 ? <Badge color="darkgrey" text="Not here" /> : <Badge color="orange" text="Partly here" />;
}

const getStyles = (theme: GrafanaTheme2) => ({
  group: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(1) }),
  title: css({ fontSize: theme.typography.h5.fontSize, margin: 0 }),
  code: css({ display: 'inline-block', overflowWrap: 'anywhere', whiteSpace: 'normal' }),
  summary: css({ color: theme.colors.text.secondary, cursor: 'pointer', padding: theme.spacing(0.5, 0) }),
});
