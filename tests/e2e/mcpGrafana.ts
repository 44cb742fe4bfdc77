import { expect } from '@grafana/plugin-e2e';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
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
  const server = spawn(interpreter(), ['-m', 'mcp_grafana'], {
    env: { ...process.env, ...env },
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

/** Python's interpreter of an environment with mcp-grafana, which is installed the first time. */
function interpreter(): string {
  const folder = join('.cache', RELEASE.replace('==', '-'));
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'bin', 'mcp-grafana'))) {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('python3', ['-m', 'venv', folder]);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', RELEASE]);
  }
  return python;
}
