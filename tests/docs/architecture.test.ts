// docs/develop/architecture.md shows the structure as it is: the imports of the backend's packages, and a front end without
// circular imports.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';

const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

it('docs/develop/architecture.md has the imports of the packages', () => {
  const [, picture] = /flowchart TD\n(.*?)```/s.exec(read('docs/develop/architecture.md')) ?? [];
  const drawn = [...picture.matchAll(/(\w+) --> (.+)/g)].flatMap(([, from, all]) =>
    all.split(' & ').map((to) => `${from} → ${to}`)
  );
  const files = globSync('**/*.go', { cwd: join(root, 'pkg') }).filter((file) => !file.endsWith('_test.go'));
  const imported = files.flatMap((file) => {
    const from = file.includes('/') ? file.split('/')[0] : 'main';
    const imports = [...read('pkg', file).matchAll(/^\s.*"github\.com\/gpucloud\/[\w-]+\/pkg\/(\w+)/gm)];
    return imports.filter(([, to]) => to !== from).map(([, to]) => `${from} → ${to}`);
  });

  assert.ok(imported.length > 20, `${imported.length} imports`);
  assert.deepEqual(drawn.toSorted(), [...new Set(imported)].toSorted());
});

it('no file of the front end imports itself through others', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: join(root, 'src') });
  const importsOf = new Map(
    files.map((file) => {
      const targets = [...read('src', file).matchAll(/^(?:import|export)\s[^;]*?from '(\.[^']+)'/gm)];
      const paths = targets.map(([, target]) => join(dirname(file), target));
      return [
        file,
        paths.flatMap((path) => [`${path}.ts`, `${path}.tsx`].filter((name) => existsSync(join(root, 'src', name)))),
      ];
    })
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    } else if (!done.has(file)) {
      importsOf.get(file)?.forEach((next) => visit(next, [...path, file]));
      done.add(file);
    }
  };

  assert.ok(files.length > 80, `${files.length} files`);
  files.forEach((file) => visit(file, []));
  assert.deepEqual(circles, []);
});
