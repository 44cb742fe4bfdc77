// Suites of the workflows in .github.
import { goTool } from '../lib/goTool.mjs';
import { zizmor } from '../lib/zizmor.mjs';
import { check, verdict } from './checks.mjs';

/** Syntax, expressions and shell scripts. */
export async function lintWorkflows() {
  const actionlint = await goTool('github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12');
  // Which other linters are on the machine makes no difference.
  return check(actionlint, ['-no-color', '-shellcheck=', '-pyflakes=']);
}

/** Security: permissions, pins, credentials, injection, caches. It is skipped where Python has no pip. */
export async function auditWorkflows() {
  const program = await zizmor();
  if (!program) {
    console.log('  The security of workflows is not checked: zizmor is installed with pip, which is missing.');
    return { ...verdict(true, ''), passed: 0, skipped: 1 };
  }
  return check(program, [
    '--offline',
    '--quiet',
    '--no-progress',
    '--persona',
    'auditor',
    '--strict-collection',
    '.github',
  ]);
}
