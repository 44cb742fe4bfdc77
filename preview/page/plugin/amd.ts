import { sharedModules } from './sharedModules';

type Factory = (...dependencies: unknown[]) => unknown;

interface Define {
  (dependencies: string[], factory: Factory): void;
  amd: Record<string, unknown>;
}

declare global {
  interface Window {
    define?: Define;
  }
}

/**
 * Loads one AMD module and resolves to what it exports, with its dependencies taken from {@link sharedModules}.
 * Rejects when the script can't be fetched, defines nothing, or requires a module that is not shared.
 */
export function loadAmdModule<T>(uri: string): Promise<T> {
  return new Promise((resolve, reject) => {
    let exports: Promise<T> | undefined;
    const define: Define = (dependencies, factory) => {
      exports = Promise.all(dependencies.map((name) => dependency(name, uri))).then(
        (loaded) => factory(...loaded) as T
      );
    };
    define.amd = {};
    window.define = define;

    const script = document.createElement('script');
    script.src = uri;
    script.onload = () => {
      delete window.define;
      if (exports) {
        exports.then(resolve, reject);
      } else {
        reject(new Error(`${uri} defines no module.`));
      }
    };
    script.onerror = () => reject(new Error(`${uri} could not be loaded. Is the plugin built?`));
    document.head.append(script);
  });
}

/** `module` is AMD's own: it has the module's address, from which the plugin loads its lazy parts. */
async function dependency(name: string, uri: string): Promise<unknown> {
  if (name === 'module') {
    return { uri };
  }
  const load = sharedModules[name];
  if (!load) {
    throw new Error(`The plugin requires "${name}", which the preview does not share.`);
  }
  return load();
}
