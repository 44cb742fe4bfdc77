// The worked change of CONTRIBUTING.md does what the page says: its code blocks are written to a copy of the project, step by
// step, and each step ends as it is described.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { goEnv } from '../../scripts/lib/go.mjs';
import { root } from '../../scripts/lib/paths.mjs';

const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const [, section] = /## A worked change[^\n]*\n([\s\S]*?)\n## /.exec(page) ?? [];
/** The text of each numbered step. */
const steps = section.split(/^\d+\. /m).slice(1);

let copy: string;

before(() => {
  copy = mkdtempSync(join(tmpdir(), 'worked-change-'));
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

after(() => rmSync(copy, { recursive: true }));

/** Writes the code blocks of a step to the files that stand behind their language. */
function apply(step: string) {
  const blocks = [...step.matchAll(/^ {3}```(\w+) (\S+)\n([\s\S]*?)^ {3}```$/gm)];
  assert.ok(blocks.length > 0);
  for (const [, language, file, indented] of blocks) {
    const code = indented.replace(/^ {3}/gm, '');
    if (language === 'diff') {
      change(file, code.trimEnd().split('\n'));
    } else {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), code);
    }
  }
}

/** Adds the lines with a plus at the one place of a file that has the others. */
function change(file: string, lines: string[]) {
  const text = readFileSync(join(copy, file), 'utf8');
  const old = lines.flatMap((line) => (line.startsWith('+') ? [] : [`${line.slice(1)}\n`])).join('');
  assert.equal(text.split(`\n${old}`).length, 2, `${file} has this place once:\n${old}`);
  writeFileSync(
    join(copy, file),
    text.replace(`\n${old}`, () => `\n${lines.map((line) => `${line.slice(1)}\n`).join('')}`)
  );
}

/** Runs a command in the copy, and returns what it printed and whether it succeeded. */
function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, ...goEnv },
  });
  return { passed: status === 0, output: stdout + stderr };
}

const node = (script: string, ...args: string[]) => run(process.execPath, join(root, 'node_modules', script), ...args);

it('the worked change of CONTRIBUTING.md works step by step', () => {
  const goTest = () => run('go', 'test', '-vet=off', './pkg/jobs', '-run', 'Models');
  const types = () => node('typescript-7/bin/tsc', '--noEmit');

  apply(steps[0]);
  assert.match(goTest().output, /"baseModels" is not known to this version of the plugin\./);

  apply(steps[1]);
  const backend = goTest();
  assert.ok(backend.passed, backend.output);

  apply(steps[2]);
  const incomplete = types();
  assert.match(incomplete.output, /src\/queryTypes\.ts.*QUERY_TYPES|queryTypes\.ts[\s\S]*'baseModels' is missing/);

  apply(steps[3]);
  const complete = types();
  assert.ok(complete.passed, complete.output);
  const editor = node('jest/bin/jest.js', 'src/types/baseModels');
  assert.ok(editor.passed, editor.output);
});
