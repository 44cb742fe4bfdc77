import { useSyncExternalStore } from 'react';

function subscribe(onChange: () => void) {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}

/** The route named by the address (`#/config`), or the first one. */
export function useHashRoute<Route extends string>(routes: readonly Route[]): Route {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const named = hash.replace(/^#\//, '');
  return routes.find((route) => route === named) ?? routes[0];
}
