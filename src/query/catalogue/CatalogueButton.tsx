import React, { useState } from 'react';
import { Button } from '@grafana/ui';
import { lazyEditor } from '../../lazyEditor';
import type { CatalogueProps } from './CatalogueDrawer';

const CatalogueDrawer = lazyEditor<CatalogueProps>(async () => (await import('./CatalogueDrawer')).CatalogueDrawer);

/** Opens the catalogue of metrics. */
export function CatalogueButton(props: Omit<CatalogueProps, 'onClose'>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="secondary" icon="book-open" onClick={() => setIsOpen(true)}>
        Catalogue
      </Button>
      {isOpen && <CatalogueDrawer {...props} onClose={() => setIsOpen(false)} />}
    </>
  );
}
