// The demo in Docker: what it mounts, which variables it sets, and what it opens to the network.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

const PLUGIN = '/var/lib/grafana/plugins/gpucloud-platform-datasource';

/** The services, with the variables of an environment that sets none. */
const { services } = parse(read('docker-compose.yaml').replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'));
const { grafana } = services;

const flags = Object.fromEntries(
  services.simulator.command.map(
    (argument: string) => /^-([^=]+)=(.*)$/.exec(argument)?.slice(1) ?? assert.fail(argument)
  )
);

describe('the demo in Docker', () => {
  it('mounts the plugin and the provisioning', () => {
    assert.ok(grafana.volumes.includes(`./dist:${PLUGIN}`));
    assert.ok(grafana.volumes.includes('./provisioning:/etc/grafana/provisioning'));
    for (const kind of ['datasources', 'dashboards', 'alerting']) {
      assert.ok(globSync(`provisioning/${kind}/*.yaml`, { cwd: root }).length > 0, kind);
    }
    const home = grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
    const includes = JSON.parse(read('src/plugin.json')).includes.map(
      ({ path }: { path?: string }) => `${PLUGIN}/${path}`
    );
    assert.ok(includes.includes(home), home);
    assert.ok(read('provisioning/dashboards/gpucloud.yaml').includes(`path: ${PLUGIN}/dashboards`));
  });

  // Grafana replaces an unset variable with an empty text, without a warning.
  it('sets the variables of the data source, and no other', () => {
    const named =
      JSON.stringify(parse(read('provisioning/datasources/gpucloud.yaml'))).match(/GPUCLOUD_[A-Z_]+/g) ?? [];
    const set = Object.keys(grafana.environment).filter((name) => name.startsWith('GPUCLOUD_'));
    assert.deepEqual([...new Set(named)].toSorted(), set.toSorted());
  });

  it('has a Grafana that the plugin runs on', () => {
    const [, oldest] = /"grafanaDependency": ">=([0-9.]+)/.exec(read('src/plugin.json')) ?? assert.fail();
    // As text, which holds from 10.0 to 99.9.
    assert.ok(grafana.image.split(':')[1] >= oldest);
  });

  it('reads the simulator unless the environment says otherwise', () => {
    const options = read('simulator/options.go');
    Object.keys(flags).forEach((name) => assert.ok(options.includes(`"${name}"`), name));
    assert.equal(flags.listen, '0.0.0.0:9400');
    assert.equal(grafana.environment.GPUCLOUD_BASE_URL, 'http://simulator:9400');
    const credentials = ['PROJECT_ID', 'MONITORING_TOKEN', 'INFERENCE_API_KEY', 'ACCESS_KEY_ID', 'SECRET_KEY'];
    for (const name of credentials.map((credential) => `GPUCLOUD_${credential}`)) {
      assert.ok(read('simulator/platform/config.go').includes(`"${grafana.environment[name]}"`), name);
    }
  });

  // Who reaches Grafana is its administrator, and who reaches the simulator can inject faults.
  it('is open to this machine only', () => {
    const all = Object.values<typeof grafana>(services);
    const ports = all.flatMap((service) => service.ports ?? []);
    assert.deepEqual(ports.toSorted(), ['127.0.0.1:3000:3000/tcp', '127.0.0.1:9400:9400']);
    assert.ok(all.every((service) => !service.network_mode && !service.cap_add && !service.security_opt));
  });

  // A tag can be moved to another image, a digest can't. Dependabot reads images in Compose, alone or as the default of one
  // variable, and FROM in a Dockerfile; it reads neither arguments of a build nor files that are extended.
  it('has images by digest, in places where Dependabot updates them', () => {
    const image = /^(?:\$\{\w+:-)?[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}\}?$/;
    const inCompose = Object.entries<typeof grafana>(parse(read('docker-compose.yaml')).services);
    for (const [name, service] of inCompose) {
      assert.ok(!service.extends && !service.build?.args, name);
      assert.ok(name === 'simulator' ? service.build : image.test(service.image), name);
    }
    const built = [...read('simulator/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
    built.filter((from) => from !== 'scratch').forEach((from) => assert.match(from, image));
    const { updates } = parse(read('.github/dependabot.yml'));
    for (const [ecosystem, directory] of [
      ['docker-compose', '/'],
      ['docker', '/simulator'],
    ]) {
      assert.ok(
        updates.some(
          (one: Record<string, string>) => one['package-ecosystem'] === ecosystem && one.directory === directory
        ),
        ecosystem
      );
    }
  });

  it('has an archive that vmagent feeds through Grafana', () => {
    const { victoriametrics, vmagent } = services;
    assert.deepEqual([victoriametrics.profiles, vmagent.profiles], [['archive'], ['archive']]);
    assert.ok(read('provisioning/datasources/gpucloud.yaml').includes('url: $GPUCLOUD_ARCHIVE_URL'));
    assert.ok(vmagent.command.includes('-remoteWrite.url=http://victoriametrics:8428/api/v1/write'));
    assert.equal(vmagent.volumes[0], './provisioning/archive:/etc/vmagent:ro');
    const [scrape] = parse(read('provisioning/archive/vmagent.yaml')).scrape_configs;
    assert.equal(scrape.metrics_path, '/api/datasources/uid/gpucloud/resources/federate');
    assert.equal(scrape.honor_labels, true);
    assert.deepEqual(scrape.static_configs[0].targets, ['grafana:3000']);
  });
});
