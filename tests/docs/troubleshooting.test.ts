// Every sentence that a failure can show is explained in docs/reference/errors.md.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** What sentences begin with, of which there may be several in a heading. Words in italics stand for any others. */
const explained = [...read('docs/reference/errors.md').matchAll(/^### (.+)$/gm)]
  .flatMap(([, heading]) => heading.split(' / '))
  // An entry in italics alone is about any words, the query engine's for example.
  .filter((entry) => !/^_[^_]+_$/.test(entry))
  .map((entry) => {
    const literal = entry.split(/_[^_]+_/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${literal.join('.+')}`);
  });

const isExplained = (sentence: string) => explained.some((entry) => entry.test(sentence));

/** A part of a sentence that is only known when it is said. */
const ANY = '⟨any⟩';

/** How a sentence begins in Go, and what precedes it on screen. */
const SAID: Array<{ by: RegExp; after: (match: RegExpExecArray) => string }> = [
  {
    by: /(?:query|queries)\.Error\{Field: (?:"([^"]+)"|\w+), Message: /g,
    after: ([, field]) => `${field ?? 'Columns, 1'}: `,
  },
  { by: /settingsError\((?=fmt|")/g, after: () => '' },
  { by: /SecretKeyError\{(?=["`])/g, after: () => 'The secret key ' },
  { by: /\.Malformed\([^,"]+,\s*/g, after: () => 'The main API ' },
  { by: /ParamError\{Name: [^,]+, Message: (?=")/g, after: () => `invalid parameter ${ANY}: ` },
  { by: /\b(?:e\.Message = |(?<!(?:Field|Name): [^,]{1,30}, )(?:Message|message): )(?=fmt|["(])/g, after: () => '' },
];

/** The sentences in a Go file, with {@link ANY} where a value is put in. */
function sentences(source: string): string[] {
  return SAID.flatMap(({ by, after }) =>
    [...source.matchAll(by)].flatMap((match) => {
      // A sentence may go on in the next line.
      const [statement] = /^(?:.*[+,]\n)*.*/.exec(source.slice(match.index + match[0].length)) ?? [''];
      const literals = [...statement.matchAll(/"((?:[^"\\]|\\.)*)"|`([^`]*)`/g)];
      const first = literals[0];
      if (!first || !/^(fmt\.Sprintf\()?$/.test(statement.slice(0, first.index))) {
        return [];
      }
      const text = (first[1] ?? first[2]).replaceAll('\\"', '"').replace(/%[a-z]/g, ANY);
      const goesOn = /^\s*\+/.test(statement.slice(first.index + first[0].length));
      const next = goesOn && literals[1] ? ANY + literals[1][1] : '';
      return [after(match) + text + next];
    })
  );
}

describe('A failure', () => {
  it('is explained if a fault shows it', () => {
    const shown = [
      ...read('tests/faults/testdata/messages.txt').matchAll(/^ {2}(?! |_|the platform's message)(.+)$/gm),
    ].map(([, message]) => message);
    assert.ok(shown.length > 50, 'sentences of faults');

    assert.deepEqual(
      [...new Set(shown)].filter((sentence) => !isExplained(sentence)),
      []
    );
  });

  const files = globSync('pkg/**/*.go', { cwd: root }).filter((file) => !file.endsWith('_test.go'));
  const said = files.flatMap((file) => sentences(read(file)).map((sentence) => ({ file, sentence })));

  it('is found in the backend', () => assert.ok(said.length > 50, `${said.length} sentences`));

  for (const { file, sentence } of said) {
    it(`is explained: ${sentence} (${file})`, () => assert.ok(isExplained(sentence)));
  }
});
