// The files of docs/provisioning/kubernetes fit Grafana's Helm chart. `HELM=<program> GRAFANA_CHART=<folder of the chart>` renders them, too.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';

const folder = 'docs/provisioning/kubernetes';
const text = (name: string) => readFileSync(join(root, folder, name), 'utf8');

/** Values that the chart writes into one ConfigMap, by key. Source: templates/_config.tpl of the chart. */
const IN_ONE_CONFIG_MAP = ['datasources', 'notifiers', 'alerting', 'dashboardProviders'];

/** What the chart reads. Source: values.yaml of the chart, 12.11.1. */
const READ = [
  ...IN_ONE_CONFIG_MAP,
  ...['plugins', 'env', 'envValueFrom', 'extraConfigmapMounts', 'extraInitContainers', 'grafana.ini'],
];

const FILES = [['values.yaml'], ['values.yaml', 'values-image.yaml']];

const { HELM, GRAFANA_CHART } = process.env;

describe('The values for Kubernetes', () => {
  for (const files of FILES) {
    const values = Object.assign({}, ...files.map((name) => parse(text(name))));

    it(`are read by the chart: ${files.join(', ')}`, () =>
      assert.deepEqual(
        Object.keys(values).filter((name) => !READ.includes(name)),
        []
      ));

    it(`have each file of the ConfigMap once: ${files.join(', ')}`, () => {
      const keys = IN_ONE_CONFIG_MAP.flatMap((name) => Object.keys(values[name] ?? {}));
      assert.ok(keys.length > 1);
      assert.equal(new Set(keys).size, keys.length, keys.join(', '));
    });

    it(`are rendered by helm: ${files.join(', ')}`, { skip: !HELM || !GRAFANA_CHART }, () => {
      const given = files.flatMap((name) => ['--values', join(root, folder, name)]);
      const rendered = execFileSync(
        HELM!,
        ['template', 'grafana', GRAFANA_CHART!, '--kube-version', '1.31.0', ...given],
        { encoding: 'utf8' }
      );
      // A key twice, or a value that is cut, is an error of the document.
      const objects = parseAllDocuments(rendered).map((document) => {
        assert.deepEqual(document.errors, []);
        return document.toJS();
      });
      const pod = objects.find((object) => object?.kind === 'Deployment').spec.template.spec;
      const mounts = pod.containers[0].volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
      for (const path of ['datasources/gpucloud.yaml', 'dashboards/gpucloud-dashboards.yaml', 'alerting']) {
        assert.ok(mounts.includes(`/etc/grafana/provisioning/${path}`), `${path}: ${mounts}`);
      }
      const names = pod.containers[0].env.map(({ name }: { name: string }) => name);
      assert.ok(names.includes('GPUCLOUD_MONITORING_TOKEN'));
      assert.equal(names.includes('GF_PLUGINS_PREINSTALL_SYNC'), files.length === 1);
      assert.equal(pod.initContainers?.[0].name, files.length === 1 ? undefined : 'gpucloud-plugin');
    });
  }

  it('name files that are there', () => {
    const named = [...FILES.flat(), '../README.md'].flatMap(
      (name) => text(name).match(/\b(?:docs\/)?provisioning\/[\w/-]+\.yaml/g) ?? []
    );
    assert.ok(named.length > 4);
    assert.deepEqual(
      named.filter((path) => !existsSync(join(root, path))),
      []
    );
  });

  it('leave out the services that not everybody has', () => {
    const { env, envValueFrom } = parse(text('values.yaml'));
    assert.deepEqual(Object.keys(env), ['GPUCLOUD_BASE_URL', 'GPUCLOUD_PROJECT_ID']);
    const needed = Object.entries<{ secretKeyRef: { optional?: boolean } }>(envValueFrom).filter(
      ([, { secretKeyRef }]) => !secretKeyRef.optional
    );
    assert.deepEqual(
      needed.map(([name]) => name),
      ['GPUCLOUD_MONITORING_TOKEN']
    );
    assert.deepEqual(Object.keys(parse(text('secret.yaml')).stringData), ['monitoring-token']);
  });
});
