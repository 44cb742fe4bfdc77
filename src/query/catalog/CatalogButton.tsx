import React, { useRef, useState } from 'react';
import { Button } from '@grafana/ui';
import { lazyEditor } from '../../lazyEditor';
import type { CatalogProps } from './CatalogDrawer';

const CatalogDrawer = lazyEditor<CatalogProps>(async () => (await import('./CatalogDrawer')).CatalogDrawer);

/** Opens the catalog of metrics. */
export function CatalogButton(props: Omit<CatalogProps, 'onClose'>) {
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setIsOpen(false);
    // Once the drawer is gone, which keeps the focus within itself.
    window.setTimeout(() => opener.current?.focus());
  };
  return (
    <>
      <Button ref={opener} variant="secondary" icon="apps" onClick={() => setIsOpen(true)}>
        Catalog
      </Button>
      {isOpen && <CatalogDrawer {...props} onClose={close} />}
    </>
  );
}
