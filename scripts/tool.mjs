// Runs a pinned tool that is no npm package: `node scripts/tool.mjs actionlint`.
import { existsSync } from 'node:fs';
import { run, runOnTerminal } from './lib/command.mjs';
import { BACKEND_TAGS, goEnv } from './lib/go.mjs';
import { goTool, goToolPath } from './lib/goTool.mjs';
import { main } from './lib/progress.mjs';
import { skip } from './lib/skip.mjs';
import { zizmor } from './lib/pip.mjs';

const GOLANGCI = ['github.com/golangci/golangci-lint/v2/cmd/golangci-lint', 'v2.15.0'];

const tools = {
  async actionlint() {
    const program = await goTool('github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12');
    // Which other linters are on the machine makes no difference.
    return runOnTerminal(program, ['-no-color', '-shellcheck=', '-pyflakes=']);
  },
  async zizmor() {
    const program = await zizmor();
    const options = ['--offline', '--quiet', '--no-progress', '--persona', 'auditor', '--strict-collection'];
    return program
      ? runOnTerminal(program, [...options, '.github'])
      : skip('zizmor', 'It is installed with pip, which is missing.');
  },
  /**
   * It takes minutes to compile: elsewhere than in CI, it is used where it is, and `go vet` where it isn't. Its project publishes
   * programs on GitHub only, none by way of a package registry.
   */
  async 'golangci-lint'(install) {
    const packages = ['./...', './simulator/...'];
    const [, version] = GOLANGCI;
    const onPath = (await run('golangci-lint', ['version', '--short'])).output.trim() === version.slice(1);
    if (!onPath && !install && !process.env.CI && !existsSync(goToolPath(...GOLANGCI))) {
      skip(
        'golangci',
        `golangci-lint ${version} is not installed. \`npm run test:golangci -- install\` compiles it. go vet runs instead.`
      );
      return runOnTerminal('go', ['vet', '-tags', `${BACKEND_TAGS},engines`, ...packages], goEnv);
    }
    const program = onPath ? 'golangci-lint' : await goTool(...GOLANGCI);
    return runOnTerminal(program, ['run', '--allow-parallel-runners', ...packages], goEnv);
  },
};

await main(() => tools[process.argv[2]](process.argv[3]));
