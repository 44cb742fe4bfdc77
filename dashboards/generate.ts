// Makes the dashboards and alert rules from the code of this folder: `npm run dashboards`. With `--built` only what is not in git,
// the dashboards. With `--check` nothing is written; it fails when a file that is in git is not what the code makes.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { alerts } from './alerts/index.ts';
import { dashboards } from './boards/index.ts';
import { update, type GeneratedFolder } from './generatedFile.ts';
import { recording } from './recording.ts';

const root = join(import.meta.dirname, '..');

const isCheck = process.argv.includes('--check');
const onlyBuilt = process.argv.includes('--built');

/** What is made from code. */
const folders = [dashboards, alerts, recording].filter(({ isBuilt = false }: GeneratedFolder) =>
  isBuilt ? !isCheck : !onlyBuilt
);

async function main(): Promise<number> {
  const made = folders.flatMap(({ folder, ending, isBuilt, files }: GeneratedFolder) =>
    Object.entries(files).map(([name, content]) => ({ path: `${folder}/${name}${ending}`, content, isBuilt }))
  );
  const leftOver = filesThere().filter((file) => made.every(({ path }) => path !== file));
  const stale = (await update(made, isCheck)) + leftOver.length;
  for (const path of leftOver) {
    if (!isCheck) {
      rmSync(join(root, path));
    }
    console.log(isCheck ? `No longer made: ${path}` : `Removed: ${path}`);
  }
  if (!isCheck || stale === 0) {
    return 0;
  }
  console.log('Run `npm run dashboards`.');
  return 1;
}

const filesThere = (): string[] =>
  folders.flatMap(({ folder, ending }) =>
    globSync(`*${ending}`, { cwd: join(root, folder) }).map((name) => `${folder}/${name}`)
  );

process.exitCode = await main();
