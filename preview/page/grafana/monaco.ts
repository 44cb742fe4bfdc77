/** Where the code editor finds its worker: built into the preview, as Grafana builds it into itself. */
export function configureMonaco() {
  window.MonacoEnvironment = {
    getWorker: () => new Worker(new URL('app/editor.worker.js', document.baseURI), { name: 'monaco' }),
  };
}
