// The Python of docs/reference/api.md that signs a request prints what the page shows, and agrees with the backend on its vectors, whose
// queries Python's library encodes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { run } from '../../scripts/lib/command.mjs';

const page = readFileSync('docs/reference/api.md', 'utf8');
const [, code = ''] = /```python\n(import base64.*?)```/s.exec(page) ?? [];
const saved = JSON.parse(readFileSync('pkg/mainapi/testdata/signing-vectors.json', 'utf8'));

async function python(script: string): Promise<string> {
  const { code: status, output } = await run('python3', ['-c', script]);
  assert.equal(status, 0, output);
  return output.trim();
}

describe('the signature in Python', () => {
  it('is as the page shows it', async () => assert.ok(page.includes(`\n${await python(code)}\n`)));

  for (const { name, path, query, canonical_query, verb, timestamp, signature } of saved.vectors) {
    it(`is that of the vector: ${name}`, async () => {
      const values = {
        secret: saved.secret_key,
        key_id: saved.access_key_id,
        path,
        query: canonical_query,
        time: timestamp,
      };
      const changed = Object.entries(values).reduce(
        (text, [variable, value]) =>
          text.replace(new RegExp(`^${variable} = "[^"]*"`, 'm'), `${variable} = ${JSON.stringify(value)}`),
        code.replace('"GET"', JSON.stringify(verb))
      );
      const pairs = `sorted(map(tuple, ${JSON.stringify(query)}), key=lambda pair: pair[0].encode())`;
      const encoded = `import urllib.parse\nprint(urllib.parse.urlencode(${pairs}))`;
      assert.equal(
        await python(`${changed}\n${encoded}`),
        `Authorization: Bearer ${saved.version}:${saved.access_key_id}:${signature}\n${canonical_query}`.trim()
      );
    });
  }
});
