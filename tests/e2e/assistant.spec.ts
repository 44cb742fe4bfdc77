import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD } from './gpucloud';
import { startAssistant, type Assistant } from './mcpGrafana';

// A question about GPUs for each tool of mcp-grafana, which an assistant answers with that alone, as a Viewer. The answers are
// what the simulated platform is made of, with all its incidents (`-incident=all`), not what the data source says of it.

const datasourceUid = GPU_CLOUD.uid;

/** The samples of an instant query, each as its labels and value. */
type Sample = { metric: Record<string, string>; value: [number, string] };

const QUESTIONS: Array<{ question: string; answer: unknown; ask: (tools: Assistant) => Promise<unknown> }> = [
  number('How many GPUs are there?', 'count(DCGM_FI_DEV_GPU_UTIL)', 64),
  labels('Which node has the XID error?', 'DCGM_FI_DEV_XID_ERRORS > 0', 'vm_name', ['gpu-node-0001']),
  {
    question: 'Which node pools are there?',
    answer: ['experiments', 'finetuning', 'pretraining', 'serving'],
    ask: async (tools) =>
      list(await tools.call('list_prometheus_label_values', { datasourceUid, labelName: 'nodepool_name' })),
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
      /"W"/.test(
        await tools.call('list_prometheus_metric_metadata', { datasourceUid, metric: 'DCGM_FI_DEV_POWER_USAGE' })
      ),
  },
  {
    question: 'Does the number of GPUs change over an hour?',
    answer: [64],
    ask: async (tools) => {
      const range = { queryType: 'range', startTime: 'now-1h', endTime: 'now', stepSeconds: 600 };
      const text = await tools.call('query_prometheus', {
        datasourceUid,
        expr: 'count(DCGM_FI_DEV_GPU_UTIL)',
        ...range,
      });
      const { values } = (samples(text) as unknown as Array<{ values: Array<[number, string]> }>)[0];
      expect(values.length, 'points of an hour').toBeGreaterThan(5);
      return [...new Set(values.map(([, value]) => Number(value)))];
    },
  },
  {
    question: 'Which dashboard says why a GPU is slow?',
    answer: true,
    ask: async (tools) =>
      (await tools.call('search_dashboards', { query: 'Stragglers' })).includes('gpucloud-stragglers'),
  },
];

test('answers a question with each tool of mcp-grafana, by one call', async ({ request, baseURL }) => {
  test.setTimeout(120_000);
  const account = await request.post('/api/serviceaccounts', {
    data: { name: `assistant-${Date.now()}`, role: 'Viewer' },
  });
  const { id } = (await account.json()) as { id: number };
  try {
    const created = await request.post(`/api/serviceaccounts/${id}/tokens`, { data: { name: 'assistant' } });
    const { key } = (await created.json()) as { key: string };
    const tools = await startAssistant({ GRAFANA_URL: baseURL!, GRAFANA_SERVICE_ACCOUNT_TOKEN: key });
    try {
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
