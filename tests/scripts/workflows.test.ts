import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';

interface Workflow {
  jobs: Record<string, Job>;
}

interface Job {
  environment?: string;
  steps?: Array<{ run?: string }>;
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const workflow = (file: string): Workflow => parse(read(file), { merge: true });
const commands = (job: Job) => (job.steps ?? []).map(({ run = '' }) => run).join('\n');

describe('a release', () => {
  const { jobs } = workflow('.github/workflows/release.yml');

  it('has its signing token in one job, which has an environment of its own', () => {
    const files = globSync('.github/workflows/*.yml', { cwd: root });
    const all = files.flatMap((file) => Object.values(workflow(file).jobs));
    const withToken = all.filter((job) => JSON.stringify(job).includes('secrets.'));

    assert.deepEqual(
      withToken.map(({ environment }) => environment),
      ['signing']
    );
  });

  it('is signed where nothing but the tool of Grafana is installed, and no script of a package has run', () => {
    const installs = commands(jobs.sign).match(/\bnp[mx] .*/g);
    const { dependencies, devDependencies } = JSON.parse(read('scripts/signing/package.json'));
    const { packages } = JSON.parse(read('scripts/signing/package-lock.json'));

    assert.deepEqual(installs, ['npm ci --prefix scripts/signing --ignore-scripts']);
    assert.deepEqual(Object.keys({ ...dependencies, ...devDependencies }), ['@grafana/sign-plugin']);
    assert.equal(
      dependencies['@grafana/sign-plugin'],
      JSON.parse(read('package.json')).devDependencies['@grafana/sign-plugin'],
      'the version that the tests sign with'
    );
    assert.ok(Object.keys(packages).length < 50);
    for (const [path, { integrity }] of Object.entries<{ integrity?: string }>(packages)) {
      assert.equal(Boolean(integrity), path !== '', path);
    }
  });

  it('is published without dependencies', () => {
    assert.doesNotMatch(commands(jobs.release), /\bnpm\b|\bnpx\b/);
  });
});
