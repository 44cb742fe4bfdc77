import { expect, test } from '@grafana/plugin-e2e';
import { expectPromQL, GPU_CLOUD, typePromQL } from './gpucloud';

/** There before a page is opened, which reads only then what data sources there are. */
const besidePrometheus = test.extend<{ prometheus: { name: string } }>({
  prometheus: async ({ createDataSource, grafanaAPIClient }, use) => {
    const prometheus = await createDataSource({ type: 'prometheus', name: 'Prometheus to switch from' });
    await use(prometheus);
    await grafanaAPIClient.deleteDataSourceByUID(prometheus.uid);
  },
});

test.describe('Panel', () => {
  besidePrometheus(
    'keeps its query when it is switched over from Prometheus, and back',
    async ({ prometheus, page, panelEditPage }) => {
      await panelEditPage.datasource.set(prometheus.name);
      const query = panelEditPage.getQueryEditorRow('A');
      const expression = 'avg by (instance) (rate(DCGM_FI_DEV_GPU_UTIL[$__rate_interval]))';
      await expect(query.getByText(`(${prometheus.name})`)).toBeVisible();
      await typePromQL(page, query, expression);
      await query.getByText(`(${prometheus.name})`).click();

      await panelEditPage.datasource.set(GPU_CLOUD.name);
      await expect(query.getByText(`(${GPU_CLOUD.name})`)).toBeVisible();
      await expectPromQL(query, expression);

      await panelEditPage.datasource.set(prometheus.name);
      await expect(query.getByText(`(${prometheus.name})`)).toBeVisible();
      await expectPromQL(query, expression);
    }
  );
});
