import { Document } from 'yaml';

/** A file that is made from code. */
export interface GeneratedFile {
  /** Relative to the repository, with forward slashes: `src/dashboards/node.json`. */
  path: string;
  /** What the file holds, with a line break at its end. */
  content: string;
}

/** A folder in which every file with the ending is generated, so that files that are no longer made can be found. */
export interface GeneratedFolder {
  /** Relative to the repository: `src/dashboards`. */
  folder: string;
  /** For example `.json`. */
  ending: string;
  /** Its files are not in git, so that their format doesn't matter. */
  isBuilt?: boolean;
  files: () => GeneratedFile[];
}

/** YAML, with a comment at its top. A value that is there twice is written twice. */
export function toYaml(content: object, comment: string[]): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  document.commentBefore = comment.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 0, singleQuote: true });
}
