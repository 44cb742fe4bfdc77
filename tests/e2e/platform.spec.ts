import { expect, test } from '@grafana/plugin-e2e';
import type { APIRequestContext } from '@playwright/test';
import { TABLE, withTable } from './fineTuning';
import { GPU_CLOUD, pick } from './gpucloud';

const PRODUCT = /^[abhl]\d+s?\.\d+x$/;

test.describe('Main API', () => {
  test('shows what is to be had where, as soon as it is chosen', async ({ explorePage, page }) => {
    await explorePage.datasource.set(GPU_CLOUD.name);
    await pick(page, 'Main API');

    await expect(page.getByRole('radio', { name: 'Capacities' })).toBeChecked();
    for (const title of ['type', 'location', 'quantity']) {
      await expect(page.getByRole('columnheader', { name: title })).toBeVisible();
    }
    await expect(page.getByRole('gridcell', { name: PRODUCT }).first()).toBeVisible();
  });

  test('fills in a ready-made list and shows its items', async ({ explorePage, page }) => {
    await explorePage.datasource.set(GPU_CLOUD.name);
    await pick(page, 'Main API');
    await pick(page, 'API list');
    await page.getByRole('combobox', { name: 'Ready-made list' }).click();
    await page.getByRole('option', { name: /^VM instances/ }).click();

    await expect(page.getByLabel('Path')).toHaveValue('/v1/projects/{projectId}/compute/vms/instances');
    await expect(page.getByRole('columnheader', { name: 'cluster_id' })).toBeVisible();
    await expect(page.getByRole('gridcell', { name: /^gpu-node-\d{4}$/ }).first()).toBeVisible();
  });

  test('is a table in a panel, whose path takes the project of the settings', async ({
    gotoDashboardPage,
    request,
  }) => {
    const query = { queryType: 'platform', path: '/v1/projects/{projectId}/quotas' };
    await withTable(request, query, async (dashboard) => {
      const panel = (await gotoDashboardPage(dashboard)).getPanelByTitle(TABLE);
      await expect(panel.locator.getByRole('columnheader', { name: 'limit' })).toBeVisible();
    });
  });

  test('has numbers for the query of an alert rule, labeled by type and location', async ({ request }) => {
    const { frames } = await asAlertRule(request, { queryType: 'capacities' });

    expect(frames.length, 'products in locations').toBeGreaterThan(1);
    for (const { schema, data } of frames) {
      expect(schema.meta.type).toBe('numeric-multi');
      expect(schema.fields).toHaveLength(1);
      expect(schema.fields[0].labels).toEqual({
        type: expect.stringMatching(PRODUCT),
        location: expect.stringMatching(/^\w+-\w+-\w$/),
      });
      expect(data.values).toEqual([[expect.any(Number)]]);
    }
  });

  test('a variable lists products, and a member of a list', async ({ page, variableEditPage }) => {
    await variableEditPage.setVariableType('Query');
    await variableEditPage.datasource.set(GPU_CLOUD.name);
    await pick(page, 'Main API');
    await variableEditPage.runQuery();
    await expect(variableEditPage).toDisplayPreviews([PRODUCT]);

    await pick(page, 'API list');
    await page.getByRole('combobox', { name: 'Ready-made list' }).click();
    await page.getByRole('option', { name: /^VM instances/ }).click();
    await variableEditPage.runQuery();
    await expect(variableEditPage).toDisplayPreviews([/gpu-node-\d{4}|^vm-/]);
  });
});

interface Result {
  frames: Array<{
    schema: { meta: { type: string }; fields: Array<{ labels?: Record<string, string> }> };
    data: { values: unknown[][] };
  }>;
}

/** Sends a query as the alerting engine does. */
async function asAlertRule(request: APIRequestContext, query: object): Promise<Result> {
  const response = await request.post('/api/ds/query', {
    headers: { FromAlert: 'true' },
    data: {
      from: 'now-15m',
      to: 'now',
      queries: [{ refId: 'A', datasource: { uid: GPU_CLOUD.uid }, ...query }],
    },
  });
  expect(response.status(), await response.text()).toBe(200);
  const { results } = (await response.json()) as { results: Record<string, Result> };
  return results.A;
}
