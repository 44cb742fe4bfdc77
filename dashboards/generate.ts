// Makes the dashboards and alert rules from the code of this folder: `npm run dashboards`. With `--check` nothing is
// written; it fails when a file is not what the code makes.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { alerts } from './alerts/index.ts';
import { dashboards } from './boards/index.ts';
import { type GeneratedFile, type GeneratedFolder } from './generatedFile.ts';
import { recording } from './recording.ts';

const root = join(import.meta.dirname, '..');

/** Everything that is made from code. */
const folders: GeneratedFolder[] = [dashboards, alerts, recording];

async function main(isCheck: boolean): Promise<number> {
  const stale: string[] = [];
  for (const { folder, ending, files } of folders) {
    const made = await Promise.all(files().map(pretty));
    stale.push(...made.filter(isStale).map(({ path }) => path), ...leftOver(folder, ending, made));
    if (!isCheck) {
      made.forEach(write);
      leftOver(folder, ending, made).forEach((path) => rmSync(join(root, path)));
    }
  }
  stale.forEach((path) => console.log(isCheck ? `Not what the code makes: ${path}` : `Written: ${path}`));
  if (isCheck && stale.length > 0) {
    console.log('Run `npm run dashboards`.');
  }
  return isCheck && stale.length > 0 ? 1 : 0;
}

/** Formats as the repository does, so that the check of the format agrees. */
async function pretty({ path, content }: GeneratedFile): Promise<GeneratedFile> {
  const filepath = join(root, path);
  return { path, content: await format(content, { ...(await resolveConfig(filepath)), filepath }) };
}

function isStale({ path, content }: GeneratedFile): boolean {
  try {
    return readFileSync(join(root, path), 'utf8') !== content;
  } catch {
    return true;
  }
}

function leftOver(folder: string, ending: string, made: GeneratedFile[]): string[] {
  const paths = new Set(made.map(({ path }) => path));
  const names = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [];
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .filter((path) => !paths.has(path));
}

function write({ path, content }: GeneratedFile) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

process.exitCode = await main(process.argv.includes('--check'));
