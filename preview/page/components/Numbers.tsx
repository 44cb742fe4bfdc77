import React, { useMemo } from 'react';
import { css } from '@emotion/css';
import { type DataFrame, FieldType, getFieldDisplayName, type GrafanaTheme2 } from '@grafana/data';
import { BigValue, BigValueColorMode, BigValueGraphMode, useStyles2, useTheme2 } from '@grafana/ui';
import { prepareFrames } from '../data/frames';

/** Labeled numbers as Grafana's stat panel shows them, side by side. */
export function Numbers({ frames }: { frames: DataFrame[] }) {
  const theme = useTheme2();
  const styles = useStyles2(getStyles);
  const numbers = useMemo(() => {
    const prepared = prepareFrames(frames, theme);
    return prepared.flatMap((frame) =>
      frame.fields
        .filter(({ type }) => type === FieldType.number)
        .map((field) => ({ ...field.display!(field.values[0]), title: getFieldDisplayName(field, frame, prepared) }))
    );
  }, [frames, theme]);

  return (
    <ul className={styles.numbers}>
      {numbers.map((value) => (
        <li key={value.title} aria-label={`${value.title}: ${value.text}`}>
          <BigValue
            value={value}
            width={theme.spacing.gridSize * 24}
            height={theme.spacing.gridSize * 12}
            colorMode={BigValueColorMode.None}
            graphMode={BigValueGraphMode.None}
            theme={theme}
          />
        </li>
      ))}
    </ul>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  numbers: css({ display: 'flex', flexWrap: 'wrap', gap: theme.spacing(1), listStyle: 'none' }),
});
