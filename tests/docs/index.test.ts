// docs/README.md has each page in one section.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const docs = join(root, 'docs');
const read = (file: string) => readFileSync(join(docs, file), 'utf8');

it('docs/README.md has each page in one section', () => {
  const sections = read('README.md')
    .split('\n## ')
    .slice(1)
    .map((section) => [...section.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, page]) => page));
  const pages = globSync('**/*.md', { cwd: docs }).filter((page) => page !== 'README.md');

  assert.ok(pages.length > 25, `${pages.length} pages`);
  assert.equal(sections.length, 5);
  assert.deepEqual(sections.flat().toSorted(), pages.toSorted());
});
