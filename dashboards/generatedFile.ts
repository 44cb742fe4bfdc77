/** A file that is made from the code of this folder. */
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
  files: () => GeneratedFile[];
}
