import React, { useEffect, useMemo, useRef, useState } from 'react';
import type { TimeRange } from '@grafana/data';
import { Alert, Drawer, EmptyState, Icon, Input, LoadingPlaceholder, Stack } from '@grafana/ui';
import { t } from '../../i18n';
import type { MetricsDataSource } from '../../metrics/MetricsDataSource';
import type { MetricsQuery } from '../../types';
import { entriesFor, search } from './entries';
import { GroupSection } from './GroupSection';
import { insertQuery } from './insert';
import { usePlatformMetrics, type PlatformMetrics } from './usePlatformMetrics';

export interface CatalogProps {
  metrics: MetricsDataSource;
  range?: TimeRange;
  query: MetricsQuery;
  /** Called with the query that was chosen. */
  onInsert: (query: MetricsQuery) => void;
  onClose: () => void;
}

/** Queries to start with, by subject. Every metric is in Prometheus' own explorer of metrics. */
export function CatalogDrawer({ metrics, range, query, onInsert, onClose }: CatalogProps) {
  const [text, setText] = useState('');
  const platform = usePlatformMetrics(metrics, range);
  const groups = useMemo(() => entriesFor(platform.names), [platform.names]);
  const found = useMemo(() => search(groups, text), [groups, text]);
  const searchField = useFocusOnOpening();

  return (
    <Drawer title={t('Catalog')} subtitle={t('Queries to start with')} onClose={onClose}>
      <Stack direction="column" gap={2}>
        <Input
          ref={searchField}
          aria-label={t('Search the catalog')}
          prefix={<Icon name="search" />}
          placeholder={t('stragglers, NVLink, temperature…')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <PresenceNote {...platform} />
        {found.length === 0 && (
          <EmptyState variant="not-found" message={t('Nothing in the catalog matches “{{text}}”', { text })} />
        )}
        {found.map((group) => (
          <GroupSection
            key={group.name}
            group={group}
            onInsert={(chosen) => {
              onInsert(insertQuery(query, chosen, group.interval, metrics.defaultEditor));
              onClose();
            }}
          />
        ))}
      </Stack>
    </Drawer>
  );
}

/** Why it isn't known which of the metrics are here. */
function PresenceNote({ names, error }: PlatformMetrics) {
  if (error) {
    return (
      <Alert severity="warning" title={t('The platform’s metrics can’t be listed')}>
        {error} {replacePrefix()}
      </Alert>
    );
  }
  if (!names) {
    return <LoadingPlaceholder text={t('Looking up which metrics this platform has')} />;
  }
  return names.size > 0 ? null : (
    <Alert severity="info" title={t('This platform names no metrics in this time range')}>
      {replacePrefix()}
    </Alert>
  );
}

const replacePrefix = () =>
  t('So it isn’t known which of these are here. In the queries, replace “vendor_” by your platform’s prefix.');

/** The drawer is opened to look for something. It moves the focus itself in the frame after it has opened. */
function useFocusOnOpening() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => field.current?.focus());
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return field;
}
