import React, { useRef, useState } from 'react';
import { Button } from '@grafana/ui';
import { t } from '../../i18n';
import { lazyEditor } from '../../lazyEditor';
import type { MetricsQuery } from '../../types';
import type { CatalogProps } from './CatalogDrawer';

const CatalogDrawer = lazyEditor<CatalogProps>(async () => (await import('./CatalogDrawer')).CatalogDrawer);

/** The catalog of metrics, and after a choice the way back to the query that it replaced. */
export function CatalogChoice({ query, onInsert, ...props }: Omit<CatalogProps, 'onClose'>) {
  return (
    <CatalogChoiceOf
      {...props}
      query={query}
      start={query}
      textOf={({ expr }) => expr}
      save={(chosen) => chosen}
      onInsert={onInsert}
    />
  );
}

interface ChoiceProps<Query> extends Omit<CatalogProps, 'onClose' | 'query' | 'onInsert'> {
  query: Query;
  /** What a choice is put into. */
  start: MetricsQuery;
  /** A query's text, which tells whether a choice is still as it was put in. */
  textOf: (query: Query) => string | undefined;
  /** What is saved of a choice. */
  save: (chosen: MetricsQuery) => Query;
  onInsert: (query: Query) => void;
}

/** A `CatalogChoice` where something else than PromQL is saved, such as a variable's query. */
export function CatalogChoiceOf<Query>({ query, start, textOf, save, onInsert, ...props }: ChoiceProps<Query>) {
  const [replaced, setReplaced] = useState<{ before: Query; by: string | undefined }>();
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setIsOpen(false);
    // Once the drawer is gone, which keeps the focus within itself.
    window.setTimeout(() => opener.current?.focus());
  };
  const insert = (chosen: MetricsQuery) => {
    const saved = save(chosen);
    setReplaced(textOf(query) ? { before: query, by: textOf(saved) } : undefined);
    onInsert(saved);
  };
  return (
    <>
      {replaced && replaced.by === textOf(query) && (
        <Button size="sm" variant="secondary" fill="text" icon="history-alt" onClick={() => onInsert(replaced.before)}>
          {t('Undo')}
        </Button>
      )}
      <Button ref={opener} size="sm" variant="secondary" icon="apps" onClick={() => setIsOpen(true)}>
        {t('Catalog')}
      </Button>
      {isOpen && <CatalogDrawer {...props} query={start} onInsert={insert} onClose={close} />}
    </>
  );
}
