// Every relative link of the documents leads to a file, and every anchor to a heading of it. docs/README.md leads to every page.
import GithubSlugger from 'github-slugger';
import { marked, type Token } from 'marked';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

/** Made by the scaffold, whose links are its own affair. */
const NOT_OURS = /^\.config\//;

const documents = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', 'docs/llms.txt'],
  {
    cwd: root,
    encoding: 'utf8',
  }
)
  .split('\n')
  .filter((file) => file !== '' && !NOT_OURS.test(file));

interface Document {
  /** Targets of links and pictures, as they are written. */
  targets: string[];
  /** What links can lead to within it. */
  anchors: Set<string>;
}

function parse(file: string): Document {
  const slugger = new GithubSlugger();
  const targets: string[] = [];
  const anchors = new Set<string>();
  const visit = (token: Token) => {
    if (token.type === 'link' || token.type === 'image') {
      targets.push(token.href);
    } else if (token.type === 'heading') {
      anchors.add(slugger.slug(plain(token.tokens ?? [])));
    } else if (token.type === 'html') {
      for (const [, target] of token.text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)) {
        targets.push(target);
      }
    }
  };
  marked.walkTokens(marked.lexer(readFileSync(join(root, file), 'utf8')), visit);
  return { targets: [...new Set(targets)], anchors };
}

/** A heading as it is read: without what makes parts of it bold or code. */
function plain(tokens: Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : ''))
    .join('');
}

/** What is wrong with a target, or nothing. */
function fault(from: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    return undefined;
  }
  const [path, anchor] = decodeURI(target).split('#');
  const file = path === '' ? from : relative(root, join(root, dirname(from), path));
  if (!existsSync(join(root, file))) {
    return `${target}: there is no ${file}`;
  }
  if (anchor && file.endsWith('.md') && !parse(file).anchors.has(anchor)) {
    return `${target}: ${file} has no such heading`;
  }
  return undefined;
}

describe('Links of the documents', () => {
  it('are looked for in all documents', () => assert.ok(documents.length > 10));
  for (const document of documents) {
    it(`lead somewhere in ${document}`, () => {
      const faults = parse(document).targets.flatMap((target) => fault(document, target) ?? []);
      assert.deepEqual(faults, []);
    });
  }
});

it('docs/README.md leads to every page', () => {
  const listed = parse('docs/README.md').targets.map((target) => join('docs', target));
  const pages = documents.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md');

  assert.deepEqual(
    pages.filter((page) => !listed.includes(page)),
    []
  );
});

it('provisioning files that documents name are there, or in another folder once they are copied', () => {
  const files = [...documents, ...globSync('docs/provisioning/**/*.{yaml,tf}', { cwd: root })];
  const there = globSync('provisioning/*/*.yaml', { cwd: root });
  const folders = new Set(there.map((file) => basename(dirname(file))));
  const named = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\b(\w+)\/([\w-]+\.yaml)\b/g)]
      .filter(([, folder]) => folders.has(folder))
      .map(([, , name]) => name)
  );

  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((name) => !there.some((file) => basename(file) === name)),
    []
  );
});
