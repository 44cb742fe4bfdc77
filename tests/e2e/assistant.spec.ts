import { expect, test } from '@grafana/plugin-e2e';
import { GPU_CLOUD } from './gpucloud';
import { startAssistant } from './mcpGrafana';

// Questions about GPUs, which an assistant answers with a tool of mcp-grafana each, as a Viewer. The answers are what the simulated
// platform is made of, not what the data source says of it.

const QUESTIONS = [
  {
    question: 'How many GPUs are there?',
    tool: 'query_prometheus',
    parameters: { expr: 'count(DCGM_FI_DEV_GPU_UTIL)', queryType: 'instant', endTime: 'now' },
    answer: /"value":\[[\d.]+,"64"\]/,
  },
  {
    question: 'Which node pools are there?',
    tool: 'list_prometheus_label_values',
    parameters: { labelName: 'nodepool_name' },
    answer: /^\["experiments","finetuning","pretraining","serving"\]$/,
  },
  {
    question: 'In which unit is the power of a GPU?',
    tool: 'list_prometheus_metric_metadata',
    parameters: { metric: 'DCGM_FI_DEV_POWER_USAGE' },
    answer: /"W"/,
  },
];

test('answers a question with tools of mcp-grafana, by one call', async ({ request, baseURL }) => {
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
      for (const { question, tool, parameters, answer } of QUESTIONS) {
        const text = await tools.call(tool, { datasourceUid: GPU_CLOUD.uid, ...parameters });
        expect.soft(text.replaceAll(/\s/g, ''), question).toMatch(answer);
      }
    } finally {
      tools.stop();
    }
  } finally {
    await request.delete(`/api/serviceaccounts/${id}`);
  }
});
