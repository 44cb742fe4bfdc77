/** Titles and texts of annotations are HTML in Grafana. This is what a reader sees of it. */
export function plainText(html = ''): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';
}
