// Jest setup provided by Grafana scaffolding
import './.config/jest-setup';
import { configure } from '@testing-library/react';

// Editors are loaded when they are first shown, and a busy machine takes its time to compile them.
configure({ asyncUtilTimeout: 20_000 });

// APIs of browsers that @grafana/ui uses and jsdom lacks.
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

// jsdom has no layout: without a height, virtual lists render no row.
for (const side of ['clientWidth', 'clientHeight']) {
  Object.defineProperty(HTMLElement.prototype, side, { configurable: true, get: () => 600 });
}

// Prism looks for its own script. Without one it reads the stack of an error, whose source maps take half a second in each file.
Object.defineProperty(document, 'currentScript', { value: document.createElement('script') });
