// The files of docs/provisioning/kubernetes fit Grafana's Helm chart.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';

const folder = 'docs/provisioning/kubernetes';
const text = (name: string) => readFileSync(join(root, folder, name), 'utf8');

/** Values that the chart writes into one ConfigMap, by key. Source: templates/_config.tpl of the chart. */
const IN_ONE_CONFIG_MAP = ['datasources', 'notifiers', 'alerting', 'dashboardProviders'];

const FILES = [['values.yaml'], ['values.yaml', 'values-image.yaml']];

describe('The values for Kubernetes', () => {
  for (const files of FILES) {
    const values = Object.assign({}, ...files.map((name) => parse(text(name))));

    it(`have each file of the ConfigMap once: ${files.join(', ')}`, () => {
      const keys = IN_ONE_CONFIG_MAP.flatMap((name) => Object.keys(values[name] ?? {}));
      assert.ok(keys.length > 1);
      assert.equal(new Set(keys).size, keys.length, keys.join(', '));
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
});
