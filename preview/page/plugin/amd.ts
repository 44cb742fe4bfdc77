import { sharedModules } from './sharedModules';

type Factory = (...dependencies: unknown[]) => unknown;

declare global {
  interface Window {
    define?: { amd: object };
  }
}

/**
 * Loads one AMD module and resolves to what it exports, with its dependencies taken from {@link sharedModules}.
 * Rejects when the script can't be fetched, defines nothing, or requires a module that is not shared.
 */
export async function loadAmdModule<T>(uri: string): Promise<T> {
  let dependencies: string[] = [];
  let factory: Factory | undefined;
  const define = (names: string[], made: Factory) => {
    [dependencies, factory] = [names, made];
  };
  window.define = Object.assign(define, { amd: {} });
  await new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const onerror = () => reject(new Error(`${uri} could not be loaded. Is the plugin built?`));
    document.head.append(Object.assign(script, { src: uri, onload: resolve, onerror }));
  });
  delete window.define;
  // `module` is AMD's own: it has the module's address, from which the plugin loads its lazy parts.
  const loaded = dependencies.map((name) => (name === 'module' ? { uri } : sharedModules[name]?.()));
  const missing = dependencies.filter((_, index) => !loaded[index]);
  if (!factory || missing.length > 0) {
    throw new Error(
      `The plugin requires modules that the preview does not share, or is no module: ${missing.join(', ')}`
    );
  }
  return factory(...(await Promise.all(loaded))) as T;
}
