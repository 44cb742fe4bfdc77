import React from 'react';
import { css } from '@emotion/css';
import { type AnnotationEvent, dateTimeFormat, type GrafanaTheme2 } from '@grafana/data';
import { Portal, Stack, TagList, Text, useStyles2, VizTooltipContainer } from '@grafana/ui';
import { plainText } from './plainText';

/** The annotation that is pointed at, and where on the screen, in pixels. */
export interface Pointed {
  event: AnnotationEvent;
  x: number;
  y: number;
}

const offset = { x: 10, y: 10 };

/** Title, time, text and tags of an annotation. */
export function AnnotationTooltip({ event, x, y }: Pointed) {
  const styles = useStyles2(getStyles);
  const { time = 0, timeEnd = time } = event;
  const format = (at: number) => dateTimeFormat(at, { timeZone: 'browser' });
  return (
    <Portal>
      <VizTooltipContainer role="tooltip" position={{ x, y }} offset={offset} className={styles.tooltip}>
        <Stack direction="column" gap={1}>
          <Text weight="medium">{plainText(event.title)}</Text>
          <Text variant="bodySmall" color="secondary">
            {event.isRegion ? `${format(time)} – ${format(timeEnd)}` : format(time)}
          </Text>
          <div className={styles.text}>{plainText(event.text)}</div>
          {Boolean(event.tags?.length) && <TagList tags={event.tags ?? []} className={styles.tags} />}
        </Stack>
      </VizTooltipContainer>
    </Portal>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  tooltip: css({ maxWidth: theme.spacing(50), padding: theme.spacing(1) }),
  text: css({ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }),
  tags: css({ justifyContent: 'flex-start' }),
});
