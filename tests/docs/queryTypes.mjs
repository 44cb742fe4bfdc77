import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../../scripts/lib/paths.mjs';

/**
 * A field of a saved query.
 *
 * @typedef {{ name: string, type: string, isOptional: boolean }} Field
 */

/**
 * Reads the interfaces and types of TypeScript files. Interfaces that are extended and types that are referred to count if
 * they are in one of the files.
 *
 * @param {string[]} paths Relative to the repository.
 * @returns {{ fieldsOf: (name: string) => Field[], queryTypes: () => Map<string, string> }} `queryTypes` are the interfaces
 *   of saved queries, by their `queryType`.
 */
export function readTypes(paths) {
  const statements = paths.flatMap(
    (path) => ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true).statements
  );
  const declared = new Map(
    statements
      .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      .map((node) => [node.name.text, node])
  );

  function fieldsOf(name) {
    const node = declared.get(name);
    if (!node || !ts.isInterfaceDeclaration(node)) {
      return [];
    }
    const parents = (node.heritageClauses ?? []).flatMap((clause) => clause.types.map((type) => type.getText()));
    const own = node.members.filter(ts.isPropertySignature).filter((member) => member.name.getText() !== 'queryType');
    return [...own.map(field), ...parents.flatMap(fieldsOf)];
  }

  function field(member) {
    return {
      name: member.name.getText(),
      type: written(member.type),
      isOptional: member.questionToken !== undefined,
    };
  }

  /** A type without the names of other types that are unions. */
  function written(node) {
    if (ts.isArrayTypeNode(node)) {
      const item = written(node.elementType);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
    }
    const alias = ts.isTypeReferenceNode(node) && declared.get(node.typeName.getText());
    return alias && ts.isTypeAliasDeclaration(alias)
      ? written(alias.type)
      : node.getText().replaceAll("'", '"').replace(/\s+/g, ' ');
  }

  /** Queries of dashboard variables aside, which are not run as queries of panels. */
  function queryTypes() {
    const found = new Map();
    for (const [name, node] of declared) {
      const member =
        ts.isInterfaceDeclaration(node) && node.members.find((one) => one.name?.getText() === 'queryType')?.type;
      if (member && ts.isLiteralTypeNode(member) && !name.endsWith('VariableQuery')) {
        found.set(member.literal.text, name);
      }
    }
    return found;
  }

  return { fieldsOf, queryTypes };
}
