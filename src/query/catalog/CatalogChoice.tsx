import React, { useRef, useState } from 'react';
import { Button } from '@grafana/ui';
import { t } from '../../i18n';
import { lazyEditor } from '../../lazyEditor';
import type { MetricsQuery } from '../../types';
import type { CatalogProps } from './CatalogDrawer';

const CatalogDrawer = lazyEditor<CatalogProps>(async () => (await import('./CatalogDrawer')).CatalogDrawer);

/** The catalog of metrics, and after a choice the way back to the query that it replaced. */
export function CatalogChoice({ query, onInsert, ...props }: Omit<CatalogProps, 'onClose'>) {
  const [replaced, setReplaced] = useState<{ before: MetricsQuery; by: string }>();
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setIsOpen(false);
    // Once the drawer is gone, which keeps the focus within itself.
    window.setTimeout(() => opener.current?.focus());
  };
  const insert = (chosen: MetricsQuery) => {
    setReplaced(query.expr ? { before: query, by: chosen.expr } : undefined);
    onInsert(chosen);
  };
  return (
    <>
      {replaced && replaced.by === query.expr && (
        <Button size="sm" variant="secondary" fill="text" icon="history-alt" onClick={() => onInsert(replaced.before)}>
          {t('Undo')}
        </Button>
      )}
      <Button ref={opener} size="sm" variant="secondary" icon="apps" onClick={() => setIsOpen(true)}>
        {t('Catalog')}
      </Button>
      {isOpen && <CatalogDrawer {...props} query={query} onInsert={insert} onClose={close} />}
    </>
  );
}
