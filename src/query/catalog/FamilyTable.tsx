import React from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Button, useStyles2 } from '@grafana/ui';
import { UNIT_SYMBOLS, type MetricFamily } from '../../catalog/metrics/types.ts';
import type { Chosen, FamilyEntry } from './entries';

interface Props {
  families: FamilyEntry[];
  onInsert: (chosen: Chosen) => void;
}

/** Every metric of a group with its meaning. A click on a name queries it, as suits its type. */
export function FamilyTable({ families, onInsert }: Props) {
  const styles = useStyles2(getStyles);
  return (
    <dl className={styles.list}>
      {families.map((family) => (
        <div key={family.name} className={styles.family}>
          <dt>
            <Button
              fill="text"
              size="sm"
              disabled={!family.isHere}
              className={styles.name}
              onClick={() => onInsert({ expr: startWith(family) })}
            >
              {family.name}
            </Button>
          </dt>
          <dd className={styles.help}>
            {family.help} {[family.type, UNIT_SYMBOLS[family.unit]].filter(Boolean).join(', ')}
            {!family.isHere && ' (not here)'}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Counters are read by their rate, histograms by a quantile. */
function startWith({ name, type }: MetricFamily): string {
  switch (type) {
    case 'gauge':
      return name;
    case 'counter':
      return `rate(${name}[$__rate_interval])`;
    case 'histogram':
      return `histogram_quantile(0.95, sum by (le) (rate(${name}_bucket[$__rate_interval])))`;
  }
}

const getStyles = (theme: GrafanaTheme2) => ({
  list: css({ margin: 0 }),
  family: css({ borderBottom: `1px solid ${theme.colors.border.weak}`, padding: theme.spacing(0.5, 0) }),
  name: css({ fontFamily: theme.typography.fontFamilyMonospace, height: 'auto', overflowWrap: 'anywhere' }),
  help: css({ color: theme.colors.text.secondary, margin: 0, paddingLeft: theme.spacing(1) }),
});
