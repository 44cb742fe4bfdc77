import React from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import { Lazy } from './Lazy';

/** The frame around an editor of the plugin. */
export function EditorFrame({ label, children }: React.PropsWithChildren<{ label: string }>) {
  const styles = useStyles2(getStyles);
  return (
    <section className={styles.editor} aria-label={label}>
      <Lazy>{children}</Lazy>
    </section>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  editor: css({
    background: theme.colors.background.primary,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
    padding: theme.spacing(2),
  }),
});
