import React from 'react';
import { css } from '@emotion/css';
import {
  CoreApp,
  dateTimeFormat,
  getDefaultTimeRange,
  type AnnotationEvent,
  type GrafanaTheme2,
  type TimeRange,
} from '@grafana/data';
import { Alert, LoadingPlaceholder, ScrollContainer, Stack, Text, useStyles2 } from '@grafana/ui';
import { t } from '../i18n';
import type { GpuCloud } from '../GpuCloud';
import { Hint } from '../help/Hint';
import type { TypedQuery } from '../types';
import { requestOf } from '../queryFrames';
import { useResult } from '../query/useResult';
import { eventsOf } from './events';

interface Props {
  query: TypedQuery;
  datasource: GpuCloud;
  /** The annotation's color as it is saved. */
  iconColor: string;
  range?: TimeRange;
  /** The dashboard's. The user's if it is missing or empty. */
  timeZone?: string;
}

/** How many events are listed; the others are counted. */
const LISTED = 50;

/**
 * A list of what an annotation would draw in the dashboard's time range, newest first, in its colors. Grafana runs the query too, but
 * passes the result of the query before, because it does so while the change is under way.
 */
export function AnnotationPreview({ query, datasource, iconColor, range = getDefaultTimeRange(), timeZone }: Props) {
  const request = { ...requestOf('gpucloud-annotation-preview', query, range), app: CoreApp.Dashboard };
  const { frames, loading, notices, error } = useResult(datasource, request);
  const drawn = eventsOf(query, frames, iconColor);
  const events = drawn.events.filter(isIn(range));
  if (error) {
    return (
      <Alert severity="warning" title={t('Nothing can be drawn')}>
        {error}
      </Alert>
    );
  }
  if (loading && events.length === 0) {
    return <LoadingPlaceholder text={t('Looking up what would be drawn')} />;
  }
  return (
    <Stack direction="column" gap={1}>
      <Text element="p" variant="h6">
        {summary(events.length)}
      </Text>
      {[...notices, ...drawn.notices].map((notice) => (
        <Hint key={notice} text={notice} />
      ))}
      {events.length > 0 && <EventList events={events} timeZone={timeZone} />}
    </Stack>
  );
}

const isIn =
  ({ from, to }: TimeRange) =>
  ({ time = NaN, timeEnd = time }: AnnotationEvent): boolean =>
    time <= to.valueOf() && timeEnd >= from.valueOf();

function EventList({ events, timeZone }: Pick<Props, 'timeZone'> & { events: AnnotationEvent[] }) {
  const styles = useStyles2(getStyles);
  const newestFirst = [...events].sort((a, b) => (b.time ?? 0) - (a.time ?? 0));
  const more = events.length - LISTED;
  return (
    <ScrollContainer maxHeight={styles.maxHeight}>
      <ul aria-label={t('What would be drawn')} className={styles.list}>
        {newestFirst.slice(0, LISTED).map((event) => (
          <li key={event.id} className={styles.event}>
            <span
              className={event.isRegion ? styles.region : styles.point}
              style={{ background: event.color }}
              title={event.tags?.join(', ')}
            />
            <span className={styles.time}>{when(event, timeZone)}</span>
            <span>{plain(event.title)}</span>
            <Text color="secondary" truncate>
              {plain(event.text)}
            </Text>
          </li>
        ))}
      </ul>
      {more > 0 && <Text color="secondary">{t('and {{count}} older', { count: more })}</Text>}
    </ScrollContainer>
  );
}

const summary = (count: number): string =>
  count === 0
    ? t('Nothing would be drawn in this range')
    : t(count === 1 ? '1 event would be drawn in this range' : '{{count}} events would be drawn in this range', {
        count,
      });

function when({ time = 0, timeEnd = time, isRegion }: AnnotationEvent, timeZone: string | undefined): string {
  const options = { timeZone: timeZone || undefined };
  const [start, end] = [dateTimeFormat(time, options), dateTimeFormat(timeEnd, options)];
  return isRegion ? `${start} – ${end}` : start;
}

/** Titles and texts are HTML, as Grafana's tooltips want them. */
function plain(html = ''): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';
}

const getStyles = (theme: GrafanaTheme2) => ({
  maxHeight: theme.spacing(40),
  list: css({ listStyle: 'none' }),
  event: css({
    alignItems: 'baseline',
    borderBottom: `1px solid ${theme.colors.border.weak}`,
    display: 'grid',
    gap: theme.spacing(1),
    gridTemplateColumns: `${theme.spacing(3)} ${theme.spacing(42)} minmax(${theme.spacing(20)}, 1fr) minmax(0, 2fr)`,
    padding: theme.spacing(0.5, 0),
  }),
  time: css({ color: theme.colors.text.secondary, fontVariantNumeric: 'tabular-nums' }),
  region: css({ borderRadius: theme.shape.radius.default, height: theme.spacing(1), width: theme.spacing(3) }),
  point: css({ borderRadius: theme.shape.radius.circle, height: theme.spacing(1), width: theme.spacing(1) }),
});
