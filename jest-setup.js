// Jest setup provided by Grafana scaffolding
import './.config/jest-setup';
import { configure } from '@testing-library/react';

// Editors are loaded when they are first shown, and a busy machine takes its time to compile them.
configure({ asyncUtilTimeout: 20_000 });

// What @grafana/ui needs of a browser and jsdom lacks.
class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}
Object.assign(global, { IntersectionObserver: Observer, ResizeObserver: Observer });

HTMLCanvasElement.prototype.getContext = () => ({ measureText: (text) => ({ width: text.length }) });

// jsdom lays nothing out. Long lists draw only what is in sight, which would be nothing.
for (const side of ['clientWidth', 'clientHeight']) {
  Object.defineProperty(HTMLElement.prototype, side, { configurable: true, get: () => 600 });
}
