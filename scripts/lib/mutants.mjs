/** The share of the covered mutants of a package that its tests have to kill, in percent. */
const FLOOR = 90;

/**
 * What gremlins found out about a package.
 *
 * @typedef {{ name: string, mutants_total: number, mutants_killed: number, mutants_lived: number, mutants_not_covered: number }} Report
 */

const killed = ({ mutants_killed, mutants_lived }) => (100 * mutants_killed) / (mutants_killed + mutants_lived);

/** @param {Report[]} reports */
export function table(reports) {
  const rows = reports.map((found) => [
    found.name,
    found.mutants_total,
    found.mutants_killed,
    found.mutants_lived,
    found.mutants_not_covered,
    `${killed(found).toFixed(1)} %`,
  ]);
  const head = ['package', 'mutants', 'killed', 'survived', 'not covered', 'killed of those covered'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/**
 * A sentence for each package of which too few mutants were killed, or none was tried.
 *
 * @param {Report[]} reports
 */
export const tooFewKilled = (reports) =>
  reports
    .filter((found) => !(killed(found) >= FLOOR))
    .map(
      (found) =>
        `${found.name}: ${killed(found).toFixed(1)} % of the covered mutants were killed, and the floor is ${FLOOR} %.`
    );
