import { type GeneratedFolder } from '../generatedFile.ts';
import { type Dashboard, type DashboardBuilder } from '@grafana/grafana-foundation-sdk/dashboard';

/** Every dashboard of the plugin, by file name. */
const boards: Record<string, () => DashboardBuilder> = {};

export const dashboards: GeneratedFolder = {
  folder: 'src/dashboards',
  ending: '.json',
  files: () =>
    Object.entries(boards).map(([name, board]) => ({
      path: `src/dashboards/${name}.json`,
      content: serialize(board().build()),
    })),
};

function serialize(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
