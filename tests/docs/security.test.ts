// docs/security.md names a test for each of its claims. Every test that it names runs, and every claim names one.
import { marked, type Token, type Tokens } from 'marked';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const tokens = marked.lexer(readFileSync(join(root, 'docs/security.md'), 'utf8'));
const tables = tokens.filter((token): token is Tokens.Table => token.type === 'table');

/** Links below a token. */
function linksOf(cell: Token[]): Tokens.Link[] {
  const links: Tokens.Link[] = [];
  marked.walkTokens(cell, (token) => {
    if (token.type === 'link') {
      links.push(token as Tokens.Link);
    }
  });
  return links;
}

const isTest = ({ href }: Tokens.Link) => /_test\.go$|\.(test|spec)\.tsx?$/.test(href);

/** Where each runner looks for tests: Go, Jest, Node, and Playwright. */
const RUN = [
  '{pkg,tests,simulator}/**/*_test.go',
  'src/**/*.test.{ts,tsx}',
  'tests/{contract,docs,package,scripts}/**/*.test.ts',
  'tests/{e2e,preview}/*.spec.ts',
];

const SKIPS = /\b(it|test|describe)\.(skip|fixme|todo)\b|\bx(it|test|describe)\(|\.Skip(f|Now)?\(/;

describe('docs/security.md', () => {
  const links = linksOf(tokens).filter(isTest);

  it('names tests', () => assert.ok(links.length > 50));

  for (const { text, href } of links) {
    it(`names a test that runs: ${text}`, () => {
      const file = join('docs', href);
      const source = readFileSync(join(root, file), 'utf8');
      assert.ok(RUN.some((glob) => matchesGlob(file, glob)) && !SKIPS.test(source), `${href} is not run`);
      assert.ok(source.includes(file.endsWith('.go') ? `\nfunc ${text}(` : text), `${href} has no test named ${text}`);
    });
  }

  it('names a test for each claim, or says why there is none', () => {
    const claims = tables.filter(({ header }) => header.at(-1)?.text === 'Tested by').flatMap(({ rows }) => rows);
    assert.ok(claims.length > 30);
    const without = claims.filter((row) => {
      const last = row[row.length - 1];
      return !linksOf(last.tokens).some(isTest) && !last.text.startsWith('not tested: ');
    });
    assert.deepEqual(
      without.map(([claim]) => claim.text),
      []
    );
  });
});
