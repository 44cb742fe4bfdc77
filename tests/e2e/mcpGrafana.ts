import { expect } from '@grafana/plugin-e2e';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The newest release that the tests were run with. */
const RELEASE = 'mcp-grafana==2.1.1';

interface Message {
  id?: number;
  result?: { content?: Array<{ text: string }>; isError?: boolean };
}

export interface Assistant {
  /** The text that a tool returns. */
  call: (tool: string, parameters: object) => Promise<string>;
  stop: () => void;
}

/** Starts the server through which assistants use a Grafana, and speaks the Model Context Protocol with it: a line of JSON-RPC for each message. */
export async function startAssistant(env: Record<string, string>): Promise<Assistant> {
  // Playwright runs tests as CommonJS, the scripts are ES modules: hence no `import` statement.
  const { pythonPackage } = await import('../../scripts/lib/pip.mjs');
  const PYTHONPATH = await pythonPackage(RELEASE);
  const server = spawn('python3', ['-m', 'mcp_grafana'], {
    env: { ...process.env, PYTHONPATH, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
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
  await send('initialize', {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'e2e', version: '1' },
  });
  write({ method: 'notifications/initialized' });
  return {
    call: async (tool, parameters) => {
      const { result } = await send('tools/call', { name: tool, arguments: parameters });
      const text = result?.content?.map((part) => part.text).join('') ?? '';
      expect(result?.isError ?? false, text).toBe(false);
      return text;
    },
    stop: () => server.kill('SIGTERM'),
  };
}
