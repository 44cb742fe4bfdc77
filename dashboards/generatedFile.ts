import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { Document } from 'yaml';

const root = join(import.meta.dirname, '..');

/** A file that is made from code. */
export interface GeneratedFile {
  /** Relative to the repository, with forward slashes: `src/dashboards/node.json`. */
  path: string;
  /** What the file holds, with a line break at its end. */
  content: string;
  /** Not in git, so that its format doesn't matter. */
  isBuilt?: boolean;
}

/** A folder in which every file with the ending is generated, so that files that are no longer made can be found. */
export interface GeneratedFolder {
  /** Relative to the repository: `src/dashboards`. */
  folder: string;
  /** For example `.json`. */
  ending: string;
  /** Its files are not in git. */
  isBuilt?: boolean;
  /** What they hold, by their names without the ending. */
  files: Record<string, string>;
}

/** YAML, with a comment at its top. A value that is there twice is written twice. */
export function toYaml(content: object, comment: string[]): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  document.commentBefore = comment.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 0, singleQuote: true });
}

/** Writes the files that are not what their sources make. A check only names them. Returns how many there are. */
export async function update(files: GeneratedFile[], isCheck: boolean): Promise<number> {
  let stale = 0;
  for (const { path, content, isBuilt } of files) {
    const filepath = join(root, path);
    // As the repository is formatted, so that the check of the format agrees.
    const formatted = isBuilt ? content : await format(content, { ...(await resolveConfig(filepath)), filepath });
    if (existsSync(filepath) && readFileSync(filepath, 'utf8') === formatted) {
      continue;
    }
    stale++;
    if (!isCheck) {
      mkdirSync(dirname(filepath), { recursive: true });
      writeFileSync(filepath, formatted);
    }
    console.log(isCheck ? `Not what its sources make: ${path}` : `Written: ${path}`);
  }
  return stale;
}
