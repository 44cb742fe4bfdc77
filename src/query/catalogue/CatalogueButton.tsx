import React, { useRef, useState } from 'react';
import { Button } from '@grafana/ui';
import { lazyEditor } from '../../lazyEditor';
import type { CatalogueProps } from './CatalogueDrawer';

const CatalogueDrawer = lazyEditor<CatalogueProps>(async () => (await import('./CatalogueDrawer')).CatalogueDrawer);

/** Opens the catalogue of metrics. */
export function CatalogueButton(props: Omit<CatalogueProps, 'onClose'>) {
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
        Catalogue
      </Button>
      {isOpen && <CatalogueDrawer {...props} onClose={close} />}
    </>
  );
}
