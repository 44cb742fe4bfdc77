// The demo in Docker: what it opens to the network, and which images it runs. The end-to-end tests run in it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Service {
  image: string;
  build?: { args?: unknown };
  ports?: string[];
  [option: string]: unknown;
}

const services = Object.entries<Service>(parse(read('docker-compose.yaml')).services);

describe('the demo in Docker', () => {
  // Who reaches Grafana is its administrator, and who reaches the simulator can inject faults.
  it('is open to this machine only', () => {
    const all = services.map(([, service]) => service);
    const ports = all.flatMap((service) => service.ports ?? []);
    assert.deepEqual(ports.toSorted(), ['127.0.0.1:3000:3000/tcp', '127.0.0.1:9400:9400']);
    assert.ok(all.every((service) => !service.network_mode && !service.cap_add && !service.security_opt));
  });

  // A tag can be moved to another image, a digest can't. Dependabot reads images in Compose, alone or as the default of one
  // variable, and FROM in a Dockerfile; it reads neither arguments of a build nor files that are extended.
  it('has images by digest, in places that Dependabot reads', () => {
    const image = /^(?:\$\{\w+:-)?[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}\}?$/;
    for (const [name, service] of services) {
      assert.ok(!service.extends && !service.build?.args, name);
      assert.ok(name === 'simulator' ? service.build : image.test(service.image), name);
    }
    const built = [...read('simulator/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
    built.filter((from) => from !== 'scratch').forEach((from) => assert.match(from, image));
  });
});
