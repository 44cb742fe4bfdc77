// docs/reference/queries.md has the fields of the types of saved queries. reference_test.go compares the columns.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { readTypes } from './queryTypes.mjs';

const page = readFileSync(join(root, 'docs/reference/queries.md'), 'utf8');
const { fieldsOf, queryTypes } = readTypes([
  'src/types.ts',
  ...globSync('src/types/**/*.ts', { cwd: root }).filter((path) => !path.includes('.test.')),
]);

/** The section of a query type, which the table at the top of the page links to. */
function sectionOf(type: string): string {
  const [, title] =
    new RegExp(`^\\| \`${type}\` +\\| \\[([^\\]]+)\\]`, 'm').exec(page) ?? assert.fail(`no row of ${type}`);
  return page.split(`\n## ${title}\n`)[1].split('\n## ')[0];
}

/** Rows of the first table after a text: name, type and whether the field is required, as `name: type` or `name?: type`. */
function fieldsAfter(section: string, text: string): string[] {
  const [table] = /(?:^\|.*\n)+/m.exec(section.slice(section.indexOf(text))) ?? assert.fail(`no table after ${text}`);
  return [...table.matchAll(/^\| `([^`]+)` +\| `(.+?)` +\| (.*?) *\|$/gm)].map(
    ([, name, type, meaning]) => `${name}${meaning.endsWith('_Required._') ? '' : '?'}: ${type.replaceAll('\\|', '|')}`
  );
}

const declared = (name: string) =>
  fieldsOf(name).map((field) => `${field.name}${field.isOptional ? '?' : ''}: ${field.type}`);

/** The objects that options hold, by the text before their table. */
const PARTS = [
  ['runs', '`source`, if its `kind` is `fineTuning`', 'FineTuningRuns'],
  ['runs', '`source`, if its `kind` is `series`', 'SeriesRuns'],
  ['runs', '`source`, if its `kind` is `manual`', 'ManualRuns'],
  ['runs', 'Each entry of its `runs`', 'ManualRun'],
  ['platform', 'Each entry of `params`', 'Param'],
  ['platform', 'Each entry of `columns`', 'Column'],
];

describe('docs/reference/queries.md has the fields', () => {
  const types = [...queryTypes()];
  it('of all query types', () => assert.ok(types.length > 11));
  for (const [type, name] of types) {
    it(`of ${type}`, () =>
      assert.deepEqual(fieldsAfter(sectionOf(type), '```\n').toSorted(), declared(name).toSorted()));
  }
  it('of PromQL that are not those of Grafana’s Prometheus data source', () => {
    const fields = fieldsAfter(sectionOf('metrics'), '```\n');
    assert.deepEqual(
      declared('MetricsQuery').filter((field) => !fields.includes(field)),
      []
    );
  });
  for (const [type, text, name] of PARTS) {
    it(`of ${name}`, () =>
      assert.deepEqual(fieldsAfter(sectionOf(type), `${text}:`).toSorted(), declared(name).toSorted()));
  }
});

it('docs/llms.txt names every query type but annotations', () => {
  const llms = readFileSync(join(root, 'docs/llms.txt'), 'utf8');
  const missing = [...queryTypes().keys()].filter((type) => !llms.includes(`"queryType": "${type}"`));
  assert.deepEqual(missing.toSorted(), ['fineTuningAnnotations', 'runAnnotations']);
});
