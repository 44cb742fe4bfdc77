import React, { useId } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Card, Text, useStyles2 } from '@grafana/ui';
import { t } from '../../i18n';
import type { GroupEntry, QueryEntry } from './entries';

interface Props {
  group: GroupEntry;
  onInsert: (query: QueryEntry) => void;
}

/** One subject: what it is about, and its queries. */
export function GroupSection({ group, onInsert }: Props) {
  const styles = useStyles2(getStyles);
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.group}>
      <h3 id={id} className={styles.title}>
        {t(group.name)}
      </h3>
      <Text element="p" color="secondary">
        {t(group.description)}
        {group.queries.some(({ missing }) => missing.length > 0) &&
          ` ${t('Needs: {{needs}}', { needs: t(group.needs) })}`}
      </Text>
      {group.queries.map((query) => (
        <Card key={query.name} noMargin disabled={query.missing.length > 0} onClick={() => onInsert(query)}>
          <Card.Heading>{t(query.name)}</Card.Heading>
          <Card.Description>
            {query.missing.length > 0
              ? t('Not here: {{metrics}}', { metrics: query.missing.join(', ') })
              : t(query.description)}
          </Card.Description>
          <Card.Meta>
            <code className={styles.code}>{query.expr}</code>
          </Card.Meta>
        </Card>
      ))}
    </section>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  group: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(1) }),
  title: css({ fontSize: theme.typography.h5.fontSize, margin: 0 }),
  code: css({ display: 'inline-block', overflowWrap: 'anywhere', whiteSpace: 'normal' }),
});
