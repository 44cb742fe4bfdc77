// docs/llms.txt names every query type, and leads to pages that are there.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const page = readFileSync(join(root, 'docs/llms.txt'), 'utf8');

it('docs/llms.txt names every query type but annotations', () => {
  const reference = readFileSync(join(root, 'docs/reference/queries.md'), 'utf8');
  const types = [...reference.matchAll(/^\| `(\w+)` +\| \[/gm)].map(([, type]) => type);
  assert.ok(types.length > 12);
  const missing = types.filter((type) => !page.includes(`"queryType": "${type}"`));
  assert.deepEqual(missing, ['metrics', 'fineTuningAnnotations', 'runAnnotations']);
});

it('docs/llms.txt leads to pages that are there', () => {
  const pages = [...page.matchAll(/\]\(([\w/-]+\.md)\)|\bdocs\/([\w/-]+\.md)/g)].map(
    ([, link, named]) => link ?? named
  );
  assert.ok(pages.length > 5);
  assert.deepEqual(
    pages.filter((path) => !existsSync(join(root, 'docs', path))),
    []
  );
});
