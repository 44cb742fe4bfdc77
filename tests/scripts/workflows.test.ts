import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { mutatedPackages } from '../../scripts/lib/go.mjs';
import { root } from '../../scripts/lib/paths.mjs';

interface Workflow {
  jobs: Record<string, Job>;
}

interface Job {
  environment?: string;
  needs?: string | string[];
  steps?: Array<{ run?: string; uses?: string }>;
  strategy?: { matrix: Record<string, string[]> };
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`), { merge: true });
const commands = (job: Job) => (job.steps ?? []).map(({ run = '' }) => run).join('\n');

describe('workflows', () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root });

  it('exist', () => assert.ok(files.length > 2));

  for (const file of files) {
    it(`use only actions that are pinned by hash, with the version beside it: ${file}`, () => {
      const uses = [...read(file).matchAll(/^\s*(?:- )?uses: (?!\.\/)(.+)$/gm)].map(([, action]) => action);

      assert.deepEqual(
        uses.filter((action) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # \S+$/.test(action)),
        []
      );
    });
  }
});

describe('a release', () => {
  const { jobs } = workflow('ci');

  it('is the package that was tested: one job builds, and the others take its zip', () => {
    const builders = Object.keys(jobs).filter((name) => /npm run (package|reproduce)/.test(commands(jobs[name])));

    assert.deepEqual(builders, ['package']);
    for (const name of ['sign', 'release']) {
      assert.ok(
        jobs[name].steps?.some(({ uses }) => uses?.startsWith('actions/download-artifact@')),
        name
      );
    }
  });

  it('needs every other job', () => {
    assert.deepEqual(jobs.release.needs, 'sign');
    assert.deepEqual(
      jobs.sign.needs,
      Object.keys(jobs).filter((name) => name !== 'sign' && name !== 'release')
    );
  });

  it('has its signing token in one job, which has an environment of its own', () => {
    const all = files().flatMap(({ jobs: some }) => Object.values(some));
    const withToken = all.filter((job) => JSON.stringify(job).includes('secrets.'));

    assert.deepEqual(
      withToken.map(({ environment }) => environment),
      ['signing']
    );
  });

  it('is published without dependencies', () => {
    assert.doesNotMatch(commands(jobs.release), /\bnpm\b|\bnpx\b/);
  });
});

describe('the scheduled mutation tests', () => {
  it('have a job for each package', () => {
    assert.deepEqual(workflow('scheduled').jobs.mutation.strategy?.matrix.package, mutatedPackages);
  });
});

function files(): Workflow[] {
  return globSync('.github/workflows/*.yml', { cwd: root }).map((file) => parse(read(file), { merge: true }));
}
