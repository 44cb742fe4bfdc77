import { slug } from 'github-slugger';
import { ruleFiles } from '../../dashboards/alerts/index.ts';
import { RUNBOOKS } from '../../dashboards/alerts/runbooks.ts';
import { table } from './markdown.mjs';

const INTRODUCTION = `<!-- Made from dashboards/alerts by \`npm run reference\`: change it there. -->

# Alert rules

Every rule of [\`provisioning/alerting\`](../../provisioning/alerting): when it fires, which number to change in its file, and a runbook. [Alerting](../alerting.md) says how to install them.

- _Tune_ names a text of the file and its query or expression: A is the query of most rules, the last letter the condition. Many thresholds are part of the query, and the condition is then _above 0_.
- Rules that look at every GPU, port or disk keep the 100 series nearest to their threshold; the others request only what is wrong. \`{__name__=~".+_…"}\` matches metrics with the prefix of any vendor.
`;

/** @returns {string} The page on alert rules, in Markdown. */
export function alertRulesPage() {
  const rules = ruleFiles.flatMap(({ name, groups }) =>
    groups.flatMap((group) => group.rules.map((rule) => ({ ...rule, file: `${name}.yaml` })))
  );
  const rows = rules.map(({ id, title, summary, pending }) => [
    `[${title}](#${slug(title)})`,
    summary
      .replace(/\.$/, '')
      .replace(/^Fires when /, '')
      .replace(/^Fires for an hour when (.*)/, '$1; for an hour'),
    runbookOf(id).tune ?? '',
    pending === '0s' ? '' : pending.replace(/m$/, ' min').replace(/h$/, ' h'),
  ]);
  return [INTRODUCTION, table(['Rule', 'Fires when', 'Tune in the file', 'Pending'], rows), ...rules.map(section)].join(
    '\n'
  );
}

const section = ({ id, title, severity, file }) =>
  `\n## ${title}\n\n\`${severity}\`, in \`${file}\`\n\n${runbookOf(id)
    .says.map((item) => `- ${item}`)
    .join('\n')}`;

function runbookOf(id) {
  const runbook = RUNBOOKS[id];
  if (!runbook) {
    throw new Error(`The rule ${id} has no runbook in dashboards/alerts/runbooks.ts.`);
  }
  return runbook;
}
