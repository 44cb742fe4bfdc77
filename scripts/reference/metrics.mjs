import { METRIC_GROUPS } from '../../src/catalog/metrics/groups.ts';
import { ALIASES } from '../../src/catalog/metrics/aliases.ts';
import { seriesNames } from '../../src/catalog/metrics/naming.ts';
import { UNIT_SYMBOLS } from '../../src/catalog/metrics/types.ts';
import { code, table } from './markdown.mjs';

const INTERVALS = { '30s': '30 seconds', '1m': '60 seconds', '5m': '5 minutes' };

const INTRODUCTION = `<!-- Made from src/catalog/metrics by \`npm run reference\`: change it there. -->

# Metrics

Every metric of the catalog, with its type, unit and meaning, and a PromQL cookbook: queries to start with, for each group of metrics. Its queries are in the query editor, behind the button _Catalog_; there, names have the prefix of your platform, and what your platform does not have is marked.

- The platform documents one name, \`DCGM_FI_DEV_GPU_UTIL\`, one label, \`instance\`, and an interval of 60 seconds. The other names, labels and intervals are those of known deployments.
- \`vendor_\` stands for the prefix of your platform. To find it: \`group by (__name__) ({__name__=~".+_vm_boot_time"})\`.
- For counters, use \`rate()\` or \`increase()\`. The unit is that of the counter; a rate is per second.
- The queries are written for Grafana: \`$__rate_interval\` is a window with at least four samples. Elsewhere, write \`[5m]\`, or \`[20m]\` for metrics that are collected every 5 minutes.
- If a metric is missing, see [No data](../empty-panels.md).
`;

/** @returns {string} The page on metrics, in Markdown. */
export function metricsPage() {
  return [INTRODUCTION, ...METRIC_GROUPS.map(group), aliases()].join('\n');
}

function group({ name, description, interval, labels, needs, areExamples, families, queries }) {
  return [
    `## ${name}\n`,
    `${description}${areExamples ? '' : ` Collected every ${INTERVALS[interval]}.`}\n`,
    `- Labels: ${labels.map(code).join(', ')}\n- Needs: ${needs}\n`,
    families.length > 0 ? table(['Metric', 'Type', 'Unit', 'Meaning'], families.map(family)) : '',
    `\n### PromQL: ${name}\n`,
    ...queries.map(query),
  ].join('\n');
}

function family({ name, type = 'gauge', unit = 'short', help }) {
  const names = seriesNames(name, type === 'histogram')
    .map(code)
    .join(', ');
  return [names, type, UNIT_SYMBOLS[unit], help];
}

function query({ name, description, expr, legend, unit = 'short' }) {
  const facts = [UNIT_SYMBOLS[unit] && `Unit: ${UNIT_SYMBOLS[unit]}.`, legend && `Legend: ${code(legend)}.`];
  return `**${name}.** ${description} ${facts.filter(Boolean).join(' ')}\n\n\`\`\`promql\n${expr}\n\`\`\`\n`;
}

function aliases() {
  const rows = Object.entries(ALIASES).map(([name, alias]) => [code(name), code(alias)]);
  return [
    '## Names in DCGM 4.6\n',
    'DCGM 4.6 renames fields. An exporter serves the name that its configuration has; the values are the same. The dashboards and alert rules read both names.\n',
    table(['Name', 'Name in DCGM 4.6'], rows),
    '',
  ].join('\n');
}
