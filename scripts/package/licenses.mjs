import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import satisfies from 'spdx-satisfies';
import { mustRun } from '../lib/command.mjs';
import { goTool } from '../lib/goTool.mjs';

/**
 * Licenses whose code may be part of a work under AGPL-3.0, by their SPDX ids. An id is added here after reading what
 * the FSF says about it: https://www.gnu.org/licenses/license-list.html
 */
const COMPATIBLE = [
  '0BSD',
  'AGPL-3.0-only',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Unlicense',
];

/** Packages that come without a license's text. Each was looked at: it declares its license in its `package.json`. */
const WITHOUT_TEXT = new Set(['@grafana/assistant', 'monaco-promql']);

/** SPDX ids of licenses for which the classifier has other names. */
const SPDX_IDS = { 'BSD-0-Clause': '0BSD' };

/** Matches with a lower confidence are ignored. */
const CONFIDENCE = 0.9;

/**
 * @typedef {import('./bundled.mjs').Component} Component
 * @typedef {Component & { license: string, texts: string[], notices: string[] }} Licensed `license` is an SPDX
 *   expression.
 */

/**
 * Determines the licenses of components. Those that are unknown or not compatible are one error that lists them all.
 *
 * @param {Component[]} components
 * @returns {Promise<Licensed[]>}
 */
export async function license(components) {
  const found = await classify([...new Set(components.flatMap(({ licenseFiles }) => licenseFiles))]);
  const problems = components.flatMap((component) =>
    problemsOf(component, found).map((text) => `  ${nameOf(component)} ${text}`)
  );
  if (problems.length > 0) {
    throw new Error(`Licenses are unknown or not compatible:\n${problems.join('\n')}`);
  }
  return components.map((component) => ({
    ...component,
    license: component.declared ?? identified(component, found).join(' AND '),
    texts: component.licenseFiles.map(read),
    notices: component.noticeFiles.map(read),
  }));
}

/** Reasons why a component can't be distributed, as ends of sentences that begin with its name. */
export function problemsOf(component, found) {
  const { name, ecosystem, declared, licenseFiles } = component;
  if (ecosystem === 'npm' && !isCompatible(declared)) {
    return [`declares a license that is not known to be compatible: ${JSON.stringify(declared)}`];
  }
  if (licenseFiles.length === 0) {
    return WITHOUT_TEXT.has(name) ? [] : ['has no license file'];
  }
  return licenseFiles.flatMap((file) => {
    const ids = found.get(file) ?? [];
    if (ids.length === 0) {
      return [`has a license that was not recognized: ${file}`];
    }
    return ids
      .filter((id) => !isCompatible(id))
      .map((id) => `is under ${id}, which is not known to be compatible: ${file}`);
  });
}

function isCompatible(expression) {
  try {
    return satisfies(expression, COMPATIBLE);
  } catch {
    // Not an SPDX expression.
    return false;
  }
}

function identified({ licenseFiles }, found) {
  return [...new Set(licenseFiles.flatMap((file) => found.get(file) ?? []))].sort();
}

/** @returns {Promise<Map<string, string[]>>} SPDX ids by file. */
async function classify(files) {
  const classifier = await goTool('github.com/google/licenseclassifier/v2/tools/identify_license', 'v2.0.0');
  const dir = mkdtempSync(join(tmpdir(), 'gpucloud-licenses-'));
  try {
    const report = join(dir, 'report.json');
    const run = () => mustRun(classifier, ['-headers', '-tasks', '4', '-json', report, ...files]);
    // Its last task may send to a channel that has just been closed, and panic: ClassifyLicenses of tools/identify_license/backend.
    await run().catch(run);
    return new Map(
      JSON.parse(readFileSync(report, 'utf8')).map(({ Filepath: file, Classifications: matches }) => [
        file,
        idsOf(matches ?? []),
      ])
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function idsOf(matches) {
  const certain = matches.filter(
    ({ Name: name, Confidence: confidence }) => name !== 'Copyright' && confidence >= CONFIDENCE
  );
  return [...new Set(certain.map(({ Name: name }) => SPDX_IDS[name] ?? name))].sort();
}

/**
 * The document that goes with the package: every component with its license, then every text once, with the names of
 * those that it is for.
 *
 * @param {Licensed[]} components
 */
export function licenseDocument(components) {
  const list = components.map((component) => `- ${nameOf(component)}: ${component.license}`);
  const texts = new Map();
  for (const component of components) {
    for (const text of [...component.texts, ...component.notices]) {
      texts.set(text, [...(texts.get(text) ?? []), nameOf(component)]);
    }
    if (component.texts.length === 0) {
      const text = `The package comes without a text of its license. It declares: ${component.license}`;
      texts.set(text, [...(texts.get(text) ?? []), nameOf(component)]);
    }
  }
  const sections = [...texts].map(
    ([text, names]) => `${'='.repeat(80)}\n${[...new Set(names)].join('\n')}\n${'-'.repeat(80)}\n\n${text}\n`
  );
  return `This plugin contains the following third-party software, under the licenses below.\n\n${list.join('\n')}\n\n${sections.join('\n')}`;
}

const nameOf = ({ name, version }) => `${name} ${version}`;
const read = (file) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
