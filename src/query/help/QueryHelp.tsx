import React from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2, QueryEditorHelpProps } from '@grafana/data';
import { Card, Text, useStyles2 } from '@grafana/ui';
import type { GpuCloudQuery } from '../../types';
import { chapters } from './examples';

/** The cheat sheet. A click on an example makes it the query. */
export function QueryHelp({ datasource, onClickExample }: QueryEditorHelpProps<GpuCloudQuery>) {
  const use = (query: GpuCloudQuery) => onClickExample({ ...query, datasource: datasource.getRef() });
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.help}>
      {chapters().map(({ title, introduction, examples }) => (
        <section key={title} className={styles.chapter} aria-label={title}>
          <Text element="h2" variant="h4">
            {title}
          </Text>
          <Text element="p" color="secondary">
            {introduction}
          </Text>
          <div className={styles.examples}>
            {examples.map(({ title: heading, explanation, shown, query }) => (
              <Card key={heading} noMargin onClick={() => use(query)}>
                <Card.Heading>{heading}</Card.Heading>
                <Card.Description>{explanation}</Card.Description>
                <Card.Meta>
                  <code className={styles.code}>{shown}</code>
                </Card.Meta>
              </Card>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  help: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(3) }),
  chapter: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(1) }),
  examples: css({
    display: 'grid',
    gap: theme.spacing(1),
    gridTemplateColumns: `repeat(auto-fill, minmax(min(100%, ${theme.spacing(48)}), 1fr))`,
  }),
  code: css({ display: 'inline-block', overflowWrap: 'anywhere', whiteSpace: 'normal' }),
});
