import React from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Text, useStyles2 } from '@grafana/ui';
import { t } from '../i18n';
import type { ServiceResult } from './healthResult';

/** How a service's line starts, by what was found out about it. */
const SIGNS = {
  works: { sign: '✓', color: 'success' },
  failed: { sign: '✗', color: 'error' },
  off: { sign: '–', color: 'secondary' },
} as const;

interface Props {
  services: ServiceResult[];
  /** True if the data source comes from a provisioning file. */
  provisioned: boolean;
}

/** The last test of the data source: a line for each service. */
export function TestResults({ services, provisioned }: Props) {
  const styles = useStyles2(getStyles);
  return (
    <ul className={styles.list} aria-label={t('Test of the connection')}>
      {services.map(({ service, message, refused, ok, configured }) => {
        const { sign, color } = SIGNS[ok ? 'works' : configured ? 'failed' : 'off'];
        return (
          <li key={service} className={styles.line}>
            <Text color={color} weight="medium">
              {sign}
            </Text>
            <span>
              <Text weight="medium">{service}:</Text> {message}
              {/* Grafana expands a provisioned value, and the platform refuses what is left. */}
              {refused &&
                provisioned &&
                ` ${t('The data source is provisioned: a $ in the value is kept by $NAME without braces, and written $$ in the file itself.')}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  list: css({ listStyle: 'none', marginTop: theme.spacing(3) }),
  line: css({ display: 'flex', gap: theme.spacing(1) }),
});
