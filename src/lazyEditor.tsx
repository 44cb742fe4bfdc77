import React, { lazy, Suspense, type ComponentType } from 'react';
import { LoadingPlaceholder } from '@grafana/ui';
import { t } from './i18n';

/**
 * An editor whose code is fetched when it is first shown, so that a dashboard does not wait for it.
 *
 * @param load imports the editor's module and picks the component
 */
export function lazyEditor<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Editor = lazy(async () => ({ default: (await load()) as ComponentType<object> }));

  return function LazyEditor(props: Props) {
    return (
      <Suspense fallback={<LoadingPlaceholder text={t('Loading editor')} />}>
        <Editor {...props} />
      </Suspense>
    );
  };
}
