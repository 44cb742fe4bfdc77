import React from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './components/App';
import { startRuntime } from './grafana/runtime';

/** Sets up what Grafana would, then renders the preview. */
export async function start() {
  await startRuntime();
  const root = document.getElementById('root');
  if (!root) {
    throw new Error('The page has no #root element.');
  }
  createRoot(root).render(<App />);
}
