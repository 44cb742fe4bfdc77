import { expect, test } from '@grafana/plugin-e2e';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { GPU_CLOUD } from './gpucloud';

const MCP_GRAFANA = 'github.com/grafana/mcp-grafana/cmd/mcp-grafana@v1.6.3';

// The server through which assistants use a Grafana. Go builds it the first time.
test('serves the Prometheus tools of mcp-grafana', async ({ request, baseURL }) => {
  test.setTimeout(600_000);
  const account = await request.post('/api/serviceaccounts', {
    data: { name: `assistant-${Date.now()}`, role: 'Viewer' },
  });
  const { id } = (await account.json()) as { id: number };
  try {
    const created = await request.post(`/api/serviceaccounts/${id}/tokens`, { data: { name: 'assistant' } });
    const { key } = (await created.json()) as { key: string };
    const tool = startTools({ GRAFANA_URL: baseURL!, GRAFANA_SERVICE_ACCOUNT_TOKEN: key });
    try {
      const datasourceUid = GPU_CLOUD.uid;
      const names = await tool.call('list_prometheus_metric_names', { datasourceUid, regex: 'DCGM_FI_DEV_GPU_.*' });
      expect(names).toContain('DCGM_FI_DEV_GPU_UTIL');
      const gpus = await tool.call('list_prometheus_label_values', { datasourceUid, labelName: 'gpu' });
      expect(JSON.parse(gpus)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
      const expr = 'count(DCGM_FI_DEV_GPU_UTIL)';
      const at = { endTime: 'now' };
      expect(await tool.call('query_prometheus', { datasourceUid, expr, queryType: 'instant', ...at })).toContain(
        '"64"'
      );
      const range = { ...at, startTime: 'now-1h', stepSeconds: 600, queryType: 'range' };
      expect(await tool.call('query_prometheus', { datasourceUid, expr, ...range })).toContain('"64"');
    } finally {
      tool.stop();
    }
  } finally {
    await request.delete(`/api/serviceaccounts/${id}`);
  }
});

interface Message {
  id?: number;
  result?: { content?: Array<{ text: string }>; isError?: boolean };
}

/** Starts the server and speaks the Model Context Protocol with it: a line of JSON-RPC for each message. */
function startTools(env: Record<string, string>) {
  const server = spawn('go', ['run', MCP_GRAFANA], {
    env: { ...process.env, ...env, GOFLAGS: '-mod=mod' },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    waiting.get(message.id ?? 0)?.(message);
  });
  const write = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let last = 0;
  const send = (method: string, params: object) =>
    new Promise<Message>((resolve) => {
      waiting.set(++last, resolve);
      write({ id: last, method, params });
    });
  const ready = send('initialize', {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'e2e', version: '1' },
  }).then(() => write({ method: 'notifications/initialized' }));
  return {
    /** The text that a tool returns. */
    call: async (name: string, params: object): Promise<string> => {
      await ready;
      const { result } = await send('tools/call', { name, arguments: params });
      const text = result?.content?.map((part) => part.text).join('') ?? '';
      expect(result?.isError ?? false, text).toBe(false);
      return text;
    },
    // `go run` and the program that it started.
    stop: () => process.kill(-server.pid!, 'SIGTERM'),
  };
}
