/**
 * The share of all mutants of a package that its tests have to kill, in percent: a little less than was measured on 2026-11-25, in
 * 25 minutes for each package. Of placement 215 of 272 covered mutants were tried: 193 were killed, 44 others were not covered.
 * Of health 105 of 443: 73 were killed, 3 others were not covered. The other packages have no floor until they are measured.
 */
const FLOORS = { 'pkg/placement': 70, 'pkg/runs/health': 60 };

/**
 * What gremlins found out about a package.
 *
 * @typedef {{ name: string, mutants_total: number, mutants_killed: number, mutants_lived: number, mutants_not_covered: number }} Report
 */

/** In percent. A mutant in code that no test runs has survived like any other. */
const killed = ({ mutants_killed, mutants_lived, mutants_not_covered }) =>
  (100 * mutants_killed) / (mutants_killed + mutants_lived + mutants_not_covered);

/** @param {Report[]} reports */
export function table(reports) {
  const rows = reports.map((found) => [
    found.name,
    found.mutants_total,
    found.mutants_killed,
    found.mutants_lived,
    found.mutants_not_covered,
    `${killed(found).toFixed(1)} %`,
    FLOORS[found.name] ? `${FLOORS[found.name]} %` : 'none',
  ]);
  const head = ['package', 'mutants', 'killed', 'survived', 'not covered', 'share killed', 'floor'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/**
 * A sentence for each package of which too few mutants were killed, or none was tried.
 *
 * @param {Report[]} reports
 */
export const tooFewKilled = (reports) =>
  reports.flatMap((found) => {
    const floor = FLOORS[found.name] ?? 0;
    return killed(found) >= floor
      ? []
      : [`${found.name}: ${killed(found).toFixed(1)} % of the mutants were killed, and the floor is ${floor} %.`];
  });
