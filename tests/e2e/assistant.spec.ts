import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD } from './gpucloud';
import { startAssistant, type Assistant } from './mcpGrafana';

// Thirty questions about GPUs that an assistant answers with the tools of mcp-grafana alone, as a Viewer. The answers are
// what the simulated platform is made of, with all its incidents (`-incident=all`), not what the data source says of it.

const datasourceUid = GPU_CLOUD.uid;

/** The samples of an instant query, each as its labels and value. */
type Sample = { metric: Record<string, string>; value: [number, string] };

const QUESTIONS: Array<{ question: string; answer: unknown; ask: (tools: Assistant) => Promise<unknown> }> = [
  number('How many GPUs are there?', 'count(DCGM_FI_DEV_GPU_UTIL)', 64),
  number('How many nodes have GPUs?', 'count(count by (cluster_id, vm_name) (DCGM_FI_DEV_GPU_UTIL))', 8),
  number('How many GPUs has a node at most?', 'max(count by (cluster_id, vm_name) (DCGM_FI_DEV_GPU_UTIL))', 8),
  number('How many H100 are there?', 'count(DCGM_FI_DEV_GPU_UTIL{modelName=~".*H100.*"})', 56),
  number('How many A100 are there?', 'count(DCGM_FI_DEV_GPU_UTIL{modelName=~".*A100.*"})', 8),
  number('How many GPUs are for pretraining?', 'count(DCGM_FI_DEV_GPU_UTIL{nodepool_name="pretraining"})', 32),
  number('How many clusters have GPUs?', 'count(count by (cluster_id) (DCGM_FI_DEV_GPU_UTIL))', 1),
  number('How much memory has a GPU, in MiB?', 'max(DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)', 81_559),
  number('How many GPUs have an XID error now?', 'count(DCGM_FI_DEV_XID_ERRORS > 0)', 1),
  number('Which XID error is it?', 'max(DCGM_FI_DEV_XID_ERRORS)', 48),
  number('How many rows of GPU memory could not be remapped?', 'sum(DCGM_FI_DEV_ROW_REMAP_FAILURE)', 1),
  number('How many InfiniBand ports has a node?', 'max(count by (vm_name) ({__name__=~".+_ib_port_line_rate"}))', 8),
  number('How many nodes has Slurm?', 'sum({__name__=~".+_slurm_nodes"})', 7),
  number('How many load balancers are there?', 'count(count by (elb_name) ({__name__=~".+_elb_active_flows"}))', 3),
  number('How many machines are there?', 'count({__name__=~".+_vm_boot_time"})', 8),
  number(
    'How long is a sample apart from the next, in seconds?',
    '3600 / max(count_over_time(DCGM_FI_DEV_GPU_UTIL[1h]))',
    60
  ),
  labels('Which node has the XID error?', 'DCGM_FI_DEV_XID_ERRORS > 0', 'vm_name', ['gpu-node-0001']),
  labels('Which GPU of it?', 'DCGM_FI_DEV_XID_ERRORS > 0', 'gpu', ['7']),
  labels('Which node is hottest over a day?', 'topk(1, avg_over_time(DCGM_FI_DEV_GPU_TEMP[24h]))', 'vm_name', [
    'gpu-node-0003',
  ]),
  labels('Which GPU of it?', 'topk(1, avg_over_time(DCGM_FI_DEV_GPU_TEMP[24h]))', 'gpu', ['5']),
  labels('Which node has a GPU to replace?', 'DCGM_FI_DEV_ROW_REMAP_FAILURE > 0', 'vm_name', ['gpu-node-0001']),
  labels(
    'Which port was down in the last hour?',
    'increase({__name__=~".+_ib_port_link_downed"}[1h]) > 0',
    'hca_number',
    ['3']
  ),
  labels(
    'Which disk is more than 85 % full?',
    '{__name__=~".+_vm_disk_bytes_used"} / {__name__=~".+_vm_disk_bytes_total"} > 0.85',
    'mount_point',
    ['/data']
  ),
  labels('Which load balancers are there?', 'count by (elb_name) ({__name__=~".+_elb_active_flows"})', 'elb_name', [
    'cluster-dns',
    'inference-gateway',
    'notebooks',
  ]),
  {
    question: 'Which node pools are there?',
    answer: ['experiments', 'finetuning', 'pretraining', 'serving'],
    ask: async (tools) =>
      list(await tools.call('list_prometheus_label_values', { datasourceUid, labelName: 'nodepool_name' })),
  },
  {
    question: 'Which numbers do GPUs of a node have?',
    answer: ['0', '1', '2', '3', '4', '5', '6', '7'],
    ask: async (tools) => list(await tools.call('list_prometheus_label_values', { datasourceUid, labelName: 'gpu' })),
  },
  {
    question: 'Which metrics of throttling are there?',
    answer: ['DCGM_FI_DEV_POWER_VIOLATION', 'DCGM_FI_DEV_THERMAL_VIOLATION'],
    ask: async (tools) =>
      list(await tools.call('list_prometheus_metric_names', { datasourceUid, regex: '.*VIOLATION.*', limit: 100 })),
  },
  {
    question: 'In which unit is the power of a GPU?',
    answer: true,
    ask: async (tools) =>
      / W\b|watt/i.test(
        await tools.call('list_prometheus_metric_metadata', { datasourceUid, metric: 'DCGM_FI_DEV_POWER_USAGE' })
      ),
  },
  {
    question: 'Does the number of GPUs change over an hour?',
    answer: [64, 64, 64, 64, 64, 64, 64],
    ask: async (tools) => {
      const range = { queryType: 'range', startTime: 'now-1h', endTime: 'now', stepSeconds: 600 };
      const text = await tools.call('query_prometheus', {
        datasourceUid,
        expr: 'count(DCGM_FI_DEV_GPU_UTIL)',
        ...range,
      });
      return (samples(text) as unknown as Array<{ values: Array<[number, string]> }>)[0].values.map(([, value]) =>
        Number(value)
      );
    },
  },
  {
    question: 'Which dashboard says why a GPU is slow?',
    answer: true,
    ask: async (tools) =>
      (await tools.call('search_dashboards', { query: 'Stragglers' })).includes('gpucloud-stragglers'),
  },
];

test('answers thirty questions with the tools of mcp-grafana, each by one call', async ({ request, baseURL }) => {
  test.setTimeout(300_000);
  const account = await request.post('/api/serviceaccounts', {
    data: { name: `assistant-${Date.now()}`, role: 'Viewer' },
  });
  const { id } = (await account.json()) as { id: number };
  try {
    const created = await request.post(`/api/serviceaccounts/${id}/tokens`, { data: { name: 'assistant' } });
    const { key } = (await created.json()) as { key: string };
    const tools = await startAssistant({ GRAFANA_URL: baseURL!, GRAFANA_SERVICE_ACCOUNT_TOKEN: key });
    try {
      expect(QUESTIONS).toHaveLength(30);
      for (const { question, answer, ask } of QUESTIONS) {
        expect.soft(await ask(tools), question).toEqual(answer);
      }
    } finally {
      tools.stop();
    }
  } finally {
    await request.delete(`/api/serviceaccounts/${id}`);
  }
});

/** A question whose answer is the value of the only sample. */
function number(question: string, expr: string, answer: number) {
  return { question, answer, ask: async (tools: Assistant) => Number((await instant(tools, expr))[0]?.value[1]) };
}

/** A question whose answer is what a label is in the result. */
function labels(question: string, expr: string, label: string, answer: string[]) {
  const ask = async (tools: Assistant) => (await instant(tools, expr)).map(({ metric }) => metric[label]).sort();
  return { question, answer, ask };
}

async function instant(tools: Assistant, expr: string) {
  return samples(await tools.call('query_prometheus', { datasourceUid, expr, queryType: 'instant', endTime: 'now' }));
}

/** The samples in the text of a tool, which has them as Prometheus' JSON, itself or as the member `data`. */
function samples(text: string): Sample[] {
  const parsed = JSON.parse(text) as Sample[] | { data: Sample[] };
  return Array.isArray(parsed) ? parsed : parsed.data;
}

function list(text: string): string[] {
  return (JSON.parse(text) as string[]).sort();
}
