import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { goConstant } from './goConstants.mjs';
import { code, table } from './markdown.mjs';
import { GROUPS } from './settingGroups.mjs';

const EXAMPLE = 'provisioning/datasources/gpucloud.yaml';

const INTRODUCTION = `<!-- Made from src/config, pkg/plugin and scripts/reference/settingGroups.mjs by \`npm run reference\`: change it there. -->

# Settings

Every setting of the data source: its name in \`jsonData\` or \`secureJsonData\`, its label in the form, type, default and bounds. To set up a data source, see [Configure](../configure.md).

- The form is _Connections → Data sources → GPU Cloud_. The headings below are its sections.
- All settings can be left out, except those that a service needs. Set the needed settings of at least one service.
- A \`secret\` belongs in \`secureJsonData\`, everything else in \`jsonData\`.
- A duration is a number and a unit, for example \`60s\`, \`10m\` or \`1h\`. A megabyte has 1024 × 1024 bytes.
- In a provisioning file, a variable can turn a text into a number or a boolean. Ids, durations, limits and the settings of the cache are accepted in every form.
- Leave the \`url\` of the data source empty. Grafana forwards requests that match no route of a plugin to this address, without checking roles.
`;

/** @returns {string} The page on settings, in Markdown. */
export function settingsPage() {
  const labels = readLabels();
  return [INTRODUCTION, ...GROUPS.map((group) => section(group, labels)), example()].join('\n');
}

function section({ title, settings, note }, labels) {
  const rows = Object.entries(settings).map(([name, { type, otherwise, bounds = '', meaning, label }]) => [
    code(name),
    label ?? labels.get(name) ?? missing(`src/config has no label of ${name}.`),
    type,
    typeof otherwise === 'function' ? otherwise(goConstant) : otherwise,
    bounds,
    meaning,
  ]);
  const titles = ['Setting', 'In the form', 'Type', 'Default', 'Bounds', 'Meaning'];
  return [`## ${title}\n`, ...(note ? [`${note}\n`] : []), `${table(titles, rows)}\n`].join('\n');
}

/** Labels of the form, by the setting that a field saves. */
function readLabels() {
  const labels = new Map();
  for (const file of globSync('src/config/*.tsx', { cwd: root }).filter((name) => !name.endsWith('.test.tsx'))) {
    for (const field of read(file).split(/<(?:OptionField|TextField|SecretField|Field)\b|\{\n\s+(?=option:)/)) {
      const label = /\blabel(?:=|: )["']([^"']+)["']/.exec(field)?.[1].replace(' (optional)', '');
      const name = /setOption\(props, '(\w+)'|\bsecret="(\w+)"|\boption(?:=|: )["'](\w+)/
        .exec(field)
        ?.slice(1)
        .find(Boolean);
      const ofCache = /\bset\(\{ (\w+):/.exec(field)?.[1];
      if (label && (name || ofCache)) {
        labels.set(name ?? `cache.${ofCache}`, label);
      }
    }
  }
  return labels;
}

function missing(message) {
  throw new Error(message);
}

/** The provisioning file with every setting in effect, without its comments. */
function example() {
  const lines = read(EXAMPLE)
    .split('\n')
    .map((line) =>
      line.replace(/^(\s+)# (\w+: .+)$/, (commented, indent, setting) =>
        isSetting(setting) ? indent + setting : commented
      )
    )
    .filter((line) => !/^\s*(#|$)/.test(line));
  return [
    '## Provisioning example\n',
    `All settings at once. Use [\`${EXAMPLE}\`](../../${EXAMPLE}) to start with: it has the same settings with comments, and those that you rarely need are commented out.\n`,
    `\`\`\`yaml\n${lines.join('\n')}\n\`\`\`\n`,
  ].join('\n');
}

const NAMES = new Set(GROUPS.flatMap(({ settings }) => Object.keys(settings).flatMap((name) => name.split('.'))));

const isSetting = (line) => NAMES.has(line.split(':')[0]);

const read = (file) => readFileSync(join(root, file), 'utf8');
