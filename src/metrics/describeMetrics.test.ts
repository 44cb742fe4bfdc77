import { createDataSource, fakeGrafana } from '../testing/grafana';
import { describeMetrics } from './describeMetrics';

describe('the descriptions of metrics', () => {
  const withoutHelp = (type: string) => ({ type, help: '' });

  it('come from the catalog where the platform has none, for any prefix', () => {
    const known = { DCGM_FI_DEV_GPU_TEMP: withoutHelp('gauge'), acme_vm_memory_used_bytes: withoutHelp('gauge') };

    expect(describeMetrics(known)).toEqual({
      DCGM_FI_DEV_GPU_TEMP: { type: 'gauge', unit: '°C', help: 'Temperature of the GPU. Unit: °C.' },
      acme_vm_memory_used_bytes: { type: 'gauge', unit: 'B', help: 'Memory in use. Unit: B.' },
    });
  });

  it('have the unit where the backend has the meaning', () => {
    const known = { DCGM_FI_DEV_GPU_TEMP: { type: 'gauge', unit: 'celsius', help: 'Temperature of the GPU.' } };

    expect(describeMetrics(known).DCGM_FI_DEV_GPU_TEMP.help).toBe('Temperature of the GPU. Unit: °C.');
  });

  it('correct a type that was guessed by the name', () => {
    const known = { acme_elb_in_packets: withoutHelp('gauge') };

    expect(describeMetrics(known).acme_elb_in_packets.type).toBe('counter');
  });

  it('of a histogram are on all of its series', () => {
    const known = {
      acme_vm_disk_read_latency_seconds: withoutHelp('histogram'),
      acme_vm_disk_bytes_used: withoutHelp('gauge'),
    };

    expect(describeMetrics(known).acme_vm_disk_read_latency_seconds_bucket).toEqual({
      type: 'histogram',
      unit: 's',
      help: 'How long reads took. Unit: s.',
    });
  });

  it('keep the help of the platform, and metrics that are not in the catalog', () => {
    const known = { DCGM_FI_DEV_GPU_TEMP: { type: 'gauge', help: 'How warm.' }, my_metric: withoutHelp('gauge') };

    expect(describeMetrics(known)).toEqual(known);
  });

  it('add no metric that is not there', () => {
    expect(describeMetrics({})).toEqual({});
  });

  it('are what the editors read', async () => {
    fakeGrafana(({ url }) => ({
      status: 'success',
      data: url.endsWith('metadata') ? { DCGM_FI_DEV_GPU_TEMP: [withoutHelp('gauge')] } : [],
    }));
    const { languageProvider } = createDataSource().metrics;

    await languageProvider.start();

    expect(languageProvider.retrieveMetricsMetadata().DCGM_FI_DEV_GPU_TEMP.help).toMatch(/^Temperature of the GPU/);
  });
});
