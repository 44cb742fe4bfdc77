/**
 * Compares the places that a version reaches with the one where it is written, `package.json`.
 *
 * @param {{ version: string, lock: { version: string, packages: Record<string, { version?: string }> },
 *   plugin: { info: { version: string } }, changelog: string, tag?: string }} places The files' contents, and the git
 *   tag that is being released, such as `v1.0.0`.
 * @returns {string[]} Disagreements, a sentence each.
 */
export function versionProblems({ version, lock, plugin, changelog, tag }) {
  const problems = [];
  const expect = (holds, problem) => holds || problems.push(problem);
  expect(isRelease(version), `package.json: ${version} is no version of the form 1.2.3 or 1.2.3-rc.1.`);
  expect(
    lock.version === version && lock.packages[''].version === version,
    `package-lock.json is of ${lock.version}. Change versions with: npm version ${version} --no-git-tag-version`
  );
  expect(
    plugin.info.version === '%VERSION%',
    'src/plugin.json has a version of its own. The build fills in %VERSION%.'
  );
  const headings = [...changelog.matchAll(/^## \[?([^\]\s]+)\]?(?: - (\S+))?/gm)].map(([, name, day]) => ({
    name,
    day,
  }));
  const released = headings.filter(({ name }) => name.toLowerCase() !== 'unreleased');
  expect(headings.length > 0, 'CHANGELOG.md has no headings of versions.');
  for (const { name, day } of released) {
    expect(
      /^\d{4}-\d{2}-\d{2}$/.test(day ?? ''),
      `CHANGELOG.md: version ${name} has no date, such as "## ${name} - 2027-01-31".`
    );
  }
  if (tag !== undefined) {
    expect(tag === `v${version}`, `The tag ${tag} is not v${version}, the version of package.json.`);
    expect(released[0]?.name === version, `CHANGELOG.md does not begin with version ${version}.`);
  }
  return problems;
}

/** Semantic Versioning without build metadata, which Grafana's catalog does not take. */
function isRelease(version) {
  return /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[0-9A-Za-z.-]+)?$/.test(version);
}

/** The part of a changelog that is about one version, without its heading. */
export function changesOf(changelog, version) {
  const sections = changelog.split(/^(?=## )/m).slice(1);
  const section = sections.find((text) =>
    new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\]?( |$)`, 'm').test(text)
  );
  return section?.slice(section.indexOf('\n') + 1).trim();
}
