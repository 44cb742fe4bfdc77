// docs/security.md names a test for each of its claims. Every test that it names runs, and every claim names one.
import { marked, type Token, type Tokens } from 'marked';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, it } from 'node:test';
import ts from 'typescript';
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

/** Where each runner looks for tests of TypeScript: Jest, Node, and Playwright. */
const RUN = [
  'src/**/*.test.{ts,tsx}',
  'tests/{contract,docs,package,scripts}/**/*.test.ts',
  'tests/{e2e,preview}/*.spec.ts',
];

/** The tests of a file that run: in Go, functions that `go test` calls and that skip nothing; in TypeScript, titles. */
function testsIn(file: string, source: string): string[] {
  return file.endsWith('.go') ? goTests(source) : RUN.some((glob) => matchesGlob(file, glob)) ? titles(source) : [];
}

function goTests(source: string): string[] {
  const [, tags = 'engines'] = /^\/\/go:build (.*)$/m.exec(source) ?? [];
  // The tag of the engines is that of a suite, and most suites run without the race detector. Other tags nobody sets.
  return tags === 'engines' || tags === '!race'
    ? [...source.matchAll(/^func ((?:Test|Fuzz)\w*)\(\w+ \*testing\.[TF]\) \{\n([\s\S]*?)^\}/gm)]
        .filter(([, , body]) => !/\.Skip(f|Now)?\(/.test(body))
        .map(([, name]) => name)
    : [];
}

/** Titles of tests, of their groups and of the rows of their tables. Those that are skipped, and what is in them, are left out. */
function titles(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node)) {
      const callee = node.expression.getText();
      if (/^(it|test|describe)\.(skip|fixme|todo)\b|^x(it|test|describe)\b/.test(callee)) {
        return;
      }
      // `it('…', () => …)` and its kin, which a file may have made for itself.
      const [title, work] = node.arguments;
      if (title && work && ts.isFunctionLike(work) && /^(it|test|describe|as[A-Z]\w+)\b/.test(callee)) {
        found.push(title.getText().slice(1, -1));
      }
    } else if (ts.isArrayLiteralExpression(node) && node.elements[0] && ts.isStringLiteralLike(node.elements[0])) {
      found.push(node.elements[0].text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.tsx', source, ts.ScriptTarget.Latest, true));
  return found;
}

describe('docs/security.md', () => {
  const links = linksOf(tokens).filter(isTest);

  it('names tests', () => assert.ok(links.length > 50));

  for (const { text, href } of links) {
    it(`names a test that runs: ${text}`, () => {
      const file = join('docs', href);
      assert.ok(
        testsIn(file, readFileSync(join(root, file), 'utf8')).some((title) =>
          file.endsWith('.go') ? title === text : title.includes(text)
        ),
        `${href} has no test named ${text} that runs`
      );
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
