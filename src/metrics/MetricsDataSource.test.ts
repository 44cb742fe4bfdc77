import { createDataSource, fakeGrafana } from '../testing/grafana';

it('shows the units of metrics in their meanings, because the metrics explorer has no place for them', async () => {
  const temperature = { type: 'gauge', help: 'Temperature of the GPU.', unit: '°C' };
  const requests = { type: 'counter', help: 'Requests.', unit: '' };
  fakeGrafana(({ url }) => ({
    status: 'success',
    data: url.endsWith('metadata') ? { DCGM_FI_DEV_GPU_TEMP: [temperature], requests_total: [requests] } : [],
  }));
  const { languageProvider } = createDataSource().metrics;

  await languageProvider.start();

  expect(languageProvider.retrieveMetricsMetadata()).toMatchObject({
    DCGM_FI_DEV_GPU_TEMP: { ...temperature, help: 'Temperature of the GPU. Unit: °C.' },
    requests_total: requests,
  });
});
