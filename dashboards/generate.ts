// Makes the dashboards and alert rules from the code of this folder: `npm run dashboards`. With `--built` only what is not in git,
// the dashboards. With `--check` nothing is written; it fails when a file that is in git is not what the code makes.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { alerts } from './alerts/index.ts';
import { dashboards } from './boards/index.ts';
import { type GeneratedFolder } from './generatedFile.ts';
import { recording } from './recording.ts';

process.chdir(join(import.meta.dirname, '..'));

const isCheck = process.argv.includes('--check');
const onlyBuilt = process.argv.includes('--built');

const folders = [dashboards, alerts, recording].filter(({ isBuilt = false }: GeneratedFolder) =>
  isBuilt ? !isCheck : !onlyBuilt
);

/** What each file is to hold: nothing if it is no longer made. */
const made = new Map<string, string | undefined>();
for (const { folder, ending, isBuilt, files } of folders) {
  globSync(`${folder}/*${ending}`).forEach((path) => made.set(path, undefined));
  for (const { path, content } of files()) {
    // As the repository is formatted, so that the check of the format agrees.
    made.set(path, isBuilt ? content : await format(content, { ...(await resolveConfig(path)), filepath: path }));
  }
}

for (const [path, content] of made) {
  if (content === (existsSync(path) ? readFileSync(path, 'utf8') : undefined)) {
    continue;
  }
  console.log(`${isCheck ? 'Not what its sources make, run `npm run dashboards`' : 'Written or removed'}: ${path}`);
  if (isCheck) {
    process.exitCode = 1;
  } else if (content === undefined) {
    rmSync(path);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
