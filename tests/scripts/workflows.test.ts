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
  uses?: string;
  steps?: Array<{ run?: string; uses?: string; env?: Record<string, string> }>;
  strategy?: { matrix: Record<string, string[]> };
}

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`), { merge: true });
const commands = (job: Job) => (job.steps ?? []).map(({ run = '' }) => run).join('\n');

describe('a release', () => {
  const checks = workflow('checks').jobs;
  const { jobs } = workflow('release');

  it('is the package that was tested: one job builds, and the others take its zip', () => {
    const all = { ...checks, ...jobs };
    const builders = Object.keys(all).filter((name) =>
      /npm run ("\$COMMAND"|package|reproduce)/.test(commands(all[name]))
    );

    assert.deepEqual(builders, ['package']);
    assert.match(commands(checks.package), /npm run "\$COMMAND"/);
    assert.equal(
      checks.package.steps?.find(({ env }) => env)?.env?.COMMAND,
      "${{ inputs.release && 'reproduce' || 'package' }}"
    );
    for (const name of ['sign', 'signed-package', 'release']) {
      assert.ok(
        jobs[name].steps?.some(({ uses }) => uses?.startsWith('actions/download-artifact@')),
        name
      );
    }
  });

  it('needs all checks, and is looked at as it was drafted', () => {
    const needs = Object.values(jobs).map((job) => job.needs);
    assert.deepEqual(needs, [undefined, 'checks', 'sign', 'signed-package', 'release']);
    assert.equal(jobs.checks.uses, './.github/workflows/checks.yml');
    assert.match(commands(jobs.provenance), /gh release download[^]*gh attestation verify/);
  });

  it('has its signing token in one job, which has an environment of its own', () => {
    const all = files().flatMap(({ jobs: some }) => Object.values(some));
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

describe('the scheduled mutation tests', () => {
  it('have a job for each package', () => {
    assert.deepEqual(workflow('scheduled').jobs.mutation.strategy?.matrix.package, mutatedPackages);
  });
  it('run every night', () => {
    const text = read('.github/workflows/scheduled.yml');
    assert.deepEqual(text.match(/cron: .*/g), ["cron: '23 3 * * *'"]);
    assert.ok(!text.includes('github.event.schedule'));
  });
});

function files(): Workflow[] {
  return globSync('.github/workflows/*.yml', { cwd: root }).map((file) => parse(read(file), { merge: true }));
}
