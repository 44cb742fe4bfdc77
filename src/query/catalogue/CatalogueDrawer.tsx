import React, { useMemo, useState } from 'react';
import type { TimeRange } from '@grafana/data';
import { Alert, Drawer, EmptyState, Icon, Input, LoadingPlaceholder, Stack } from '@grafana/ui';
import type { MetricsDataSource } from '../../metrics/MetricsDataSource';
import type { MetricsQuery } from '../../types';
import { entriesFor, search } from './entries';
import { GroupSection } from './GroupSection';
import { insertQuery } from './insert';
import { usePlatformMetrics } from './usePlatformMetrics';

export interface CatalogueProps {
  metrics: MetricsDataSource;
  range?: TimeRange;
  query: MetricsQuery;
  /** Called with the query that was chosen. */
  onInsert: (query: MetricsQuery) => void;
  onClose: () => void;
}

/** What can be asked about, by subject: queries to start with, and every metric with its meaning. */
export function CatalogueDrawer({ metrics, range, query, onInsert, onClose }: CatalogueProps) {
  const [text, setText] = useState('');
  const names = usePlatformMetrics(metrics, range);
  const groups = useMemo(() => names && entriesFor(names), [names]);
  const found = useMemo(() => groups && search(groups, text), [groups, text]);

  return (
    <Drawer title="Catalogue" subtitle="Queries to start with, and what each metric means" onClose={onClose}>
      {!found ? (
        <LoadingPlaceholder text="Looking up which metrics this platform has" />
      ) : (
        <Stack direction="column" gap={2}>
          <Input
            aria-label="Search the catalogue"
            prefix={<Icon name="search" />}
            placeholder="stragglers, NVLink, temperature…"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            // The drawer is opened to look for something.
            autoFocus
          />
          {names?.size === 0 && (
            <Alert severity="info" title="This platform names no metrics in this time range">
              So it can&apos;t be said which of these are here. In the queries, replace “vendor_” by your
              platform&apos;s prefix.
            </Alert>
          )}
          {found.length === 0 && (
            <EmptyState variant="not-found" message={`Nothing in the catalogue matches “${text}”`} />
          )}
          {found.map((group) => (
            <GroupSection
              key={group.name}
              group={group}
              isOpen={text !== ''}
              onInsert={(chosen) => {
                onInsert(insertQuery(query, chosen, group.interval));
                onClose();
              }}
            />
          ))}
        </Stack>
      )}
    </Drawer>
  );
}
