import { readFileSync } from 'node:fs';
import { globSync } from 'glob';
import ts from 'typescript';
import { READY_MADE_LISTS } from '../../src/catalog/lists.ts';
import { METRIC_GROUPS } from '../../src/catalog/metrics/groups.ts';
import { TEXTS } from '../../src/locales/texts.ts';

const SOURCES = {
  files: 'src/**/*.{ts,tsx}',
  // Quantities are titles of dashboards.
  ignore: ['src/**/*.test.*', 'src/testing/**', 'src/catalog/quantities.ts'],
};

/** The texts that people read in the plugin's editors, each of which is its own key: what translators start from. */
export function localeFile() {
  const inCode = globSync(SOURCES.files, { ignore: SOURCES.ignore }).flatMap(textsOf);
  const named = [...READY_MADE_LISTS, ...METRIC_GROUPS.flatMap((group) => [group, ...group.queries])];
  const ofCatalog = named.flatMap(({ name, description, needs = [] }) => [name, description].concat(needs));
  const texts = [...inCode, ...ofCatalog];
  const sorted = [...new Set(texts)].sort();
  return `${JSON.stringify(Object.fromEntries(sorted.map((text) => [text, text])), null, 2)}\n`;
}

/** The texts of a source file: what is given to `t`, and what tables call a label, a description, … */
function textsOf(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, false);
  const found = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.text === 't') {
      found.push(...literals(node.arguments[0]));
    }
    if (ts.isPropertyAssignment(node) && TEXTS.includes(node.name.text)) {
      found.push(...literals(node.initializer).filter((text) => /^[A-Z\d]| /.test(text)));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The texts that an expression can be. */
function literals(node) {
  if (ts.isConditionalExpression(node)) {
    return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  }
  return ts.isStringLiteralLike(node) ? [node.text] : [];
}
