import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

const SECONDS = { 'time.Millisecond': 0.001, 'time.Second': 1, 'time.Minute': 60, 'time.Hour': 3600 };

/**
 * The value of a constant of the backend: a text, a number, or a duration in seconds.
 *
 * @param {string} folder Of the package that declares it.
 * @param {string} name
 */
export function goConstant(folder, name) {
  const declaration = new RegExp(`^(?:const|\\s)\\s*${name} += (.+?)(?: //.*)?$`, 'm');
  const sources = globSync(`${folder}/*.go`, { cwd: root })
    .filter((file) => !file.endsWith('_test.go'))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const value = sources.map((source) => declaration.exec(source)?.[1]).find(Boolean);
  if (!value) {
    throw new Error(`${folder} has no constant ${name}.`);
  }
  return value.startsWith('"') ? JSON.parse(value) : evaluate(value);
}

/** A product of numbers and units, which may be shifted: `10 * time.Minute`, `256 << 20`. */
function evaluate(expression) {
  const [product, shift = '0'] = expression.split('<<');
  const factors = product.split('*').map((factor) => factor.trim());
  return factors.reduce((all, one) => all * (SECONDS[one] ?? Number(one.replaceAll('_', ''))), 2 ** Number(shift));
}
