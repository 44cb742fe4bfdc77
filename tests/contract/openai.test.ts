// The public OpenAI client against the route layer: everything that docs/routes.md promises for fine-tuning, through the
// preview's host, which follows plugin.json as Grafana's data proxy does.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { unzipSync } from 'fflate';
import OpenAI, { toFile } from 'openai';
import type { FineTuningJob } from 'openai/resources/fine-tuning/jobs/jobs';
import { startStack } from '../../scripts/lib/stack.mjs';

const DATA_SOURCE = 'uid/gpucloud';
const MODEL = 'meta-llama/Llama-3.1-8B-Instruct';
const POLL_MS = 250;

type Stack = Awaited<ReturnType<typeof startStack>>;

describe('fine-tuning through the data source', () => {
  let stack: Stack;
  let client: OpenAI;
  let job: FineTuningJob;

  before(async () => {
    stack = await startStack({ simulatorArgs: ['-job-duration', '5s'] });
    client = new OpenAI({
      baseURL: `${stack.previewUrl}/api/datasources/proxy/${DATA_SOURCE}/tuning/v1`,
      // In Grafana this is a service account's token. It never reaches the platform, which gets the data source's own key.
      apiKey: 'a-service-account-token',
      maxRetries: 0,
    });
  });

  after(() => stack.stop());

  it('lists the models that can be tuned', async () => {
    const models = await client.models.list();

    assert.ok(models.data.some(({ id }) => id === MODEL));
  });

  it('uploads a dataset, creates a job and sees it succeed', { timeout: 60_000 }, async () => {
    const file = await client.files.create({
      file: await toFile(Buffer.from(dataset()), 'support.jsonl'),
      purpose: 'fine-tune',
    });
    assert.equal(file.filename, 'support.jsonl');
    assert.equal(file.bytes, Buffer.byteLength(dataset()));

    const created = await client.fineTuning.jobs.create({
      model: MODEL,
      training_file: file.id,
      suffix: 'contract',
      method: { type: 'supervised', supervised: { hyperparameters: { n_epochs: 2 } } },
    });
    assert.equal(created.training_file, file.id);

    const seen = new Set<string>();
    do {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      job = await client.fineTuning.jobs.retrieve(created.id);
      seen.add(job.status);
    } while (!['succeeded', 'failed', 'cancelled'].includes(job.status));
    assert.equal(job.status, 'succeeded', `after ${[...seen].join(', ')}`);
    assert.ok(seen.has('running'));
  });

  it('lists what happened to the job, page by page', async () => {
    const messages: string[] = [];
    for await (const event of client.fineTuning.jobs.listEvents(job.id, { limit: 3 })) {
      messages.push(event.message);
    }

    assert.ok(messages.length > 3);
  });

  it('downloads a checkpoint that opens as a zip', async () => {
    const checkpoints = await client.fineTuning.jobs.checkpoints.list(job.id);
    const [newest] = checkpoints.data;
    assert.equal(newest.fine_tuning_job_id, job.id);
    assert.ok(newest.step_number > 0);

    const response = await fetch(
      `${stack.previewUrl}/api/datasources/${DATA_SOURCE}/resources/checkpoints/${newest.id}/content`
    );

    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/zip');
    assert.match(response.headers.get('content-disposition') ?? '', new RegExp(`filename="?${newest.id}\\.zip`));
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    assert.ok(Object.keys(files).includes('adapter_config.json'), Object.keys(files).join(', '));
    assert.ok(Object.values(files).every((content) => content.length > 0));
  });

  it('is refused to pages of other sites, by their origin and by a name that leads here', async () => {
    for (const headers of [{ Origin: 'http://evil.example' }, { Host: 'evil.example' }]) {
      const { port } = new URL(stack.previewUrl);
      const sent = request({ port, path: '/api/ds/query', method: 'POST', headers });
      const refused = once(sent, 'response');
      sent.end();
      assert.equal((await refused)[0].statusCode, 403, JSON.stringify(headers));
    }
  });

  it("passes the gateway's own sentence on when a file is of the wrong purpose", async () => {
    await assert.rejects(
      client.files.create({ file: await toFile(Buffer.from(dataset()), 'support.jsonl'), purpose: 'batch' }),
      (error: unknown) => error instanceof OpenAI.BadRequestError && /purpose must be fine-tune/.test(error.message)
    );
  });
});

/** A dataset of conversations, in JSON Lines. */
function dataset(): string {
  const line = (question: string, answer: string) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ],
    });
  return [line('Is the node drained?', 'Yes, since noon.'), line('Which GPU failed?', 'GPU 3, with XID 48.')].join(
    '\n'
  );
}
