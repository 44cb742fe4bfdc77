import { slug } from 'github-slugger';
import { toYaml } from '../generatedFile.ts';
import { DOCS } from '../lib/links.ts';
import { letter } from '../lib/queries.ts';
import { DATA_SOURCE_UID, linkTo } from './links.ts';
import { type AlertRule, type Query, type RuleFile, type RuleGroup } from './rule.ts';
import { ifKnown } from './texts.ts';

/** How Grafana calls its server-side expressions, and the one that decides. */
const EXPRESSION = { type: '__expr__', uid: '__expr__' };
const DECIDES = 'C';

/** Not that of the dashboards: Grafana provisions rules first and would make the folder with another uid. */
const FOLDER = 'GPU Cloud alerts';

const RUNBOOK_PAGE = `${DOCS}/reference/alert-rules.md`;

/** What is done first about a query that fails. */
const CHECK =
  'Open Connections → Data sources → GPU Cloud and press “Save & test”: it says which service fails, and why.';

/** A provisioning file of Grafana's. */
export const fileOf = (file: RuleFile): string =>
  toYaml({ apiVersion: 1, groups: file.groups.map(group) }, [
    'Made from dashboards/alerts by `npm run dashboards`: change it there, or copy this file and change the copy.',
    file.needs,
    'What each rule means, what to check and what to tune: docs/reference/alert-rules.md.',
  ]);

function group({ name, rules, ...group }: RuleGroup) {
  const interval = group.interval ?? '1m';
  return { orgId: 1, name, folder: FOLDER, interval, rules: rules.map((rule) => provisioned(rule, interval)) };
}

/**
 * Grafana keeps an alert firing where its series is there and normal, or where no series is left. One that is missing while others are
 * there is resolved after two evaluations, unless the rule says after how many: pkg/services/ngalert/state/manager.go of Grafana 12.4.
 */
const keepFiring = ({ keepFiringFor }: AlertRule, interval: string) =>
  keepFiringFor && {
    keepFiringFor,
    missing_series_evals_to_resolve: Math.ceil(minutes(keepFiringFor) / minutes(interval)),
  };

const minutes = (duration: string): number => Number.parseInt(duration, 10) * (duration.endsWith('h') ? 60 : 1);

function provisioned(rule: AlertRule, interval: string) {
  const queries = rule.second ? [rule.query, rule.second] : [rule.query];
  return {
    uid: `gpucloud-${rule.id}`,
    title: rule.title,
    condition: DECIDES,
    for: rule.pending ?? '0s',
    ...keepFiring(rule, interval),
    noDataState: rule.noData || rule.reportsFailure ? 'NoData' : 'OK',
    // One rule reports that nothing can be evaluated. The others would add an alert each, and resolve those that fire.
    execErrState: rule.reportsFailure ? 'Error' : 'KeepLast',
    labels: { severity: rule.severity, ...rule.labels },
    annotations: {
      ...texts(rule),
      runbook_url: `${RUNBOOK_PAGE}#${slug(rule.title)}`,
      ...linkTo(rule.link),
    },
    data: [...queries.map(queryModel), condition(rule)],
  };
}

/**
 * Grafana sends a rule's texts also where its query failed or had no data. Then there are neither labels nor values, and
 * the texts would report a fault that nobody has seen.
 */
function texts(rule: AlertRule) {
  const { title, description, action, noData, reportsFailure, formula } = rule;
  if (reportsFailure) {
    return { summary: title, description, action };
  }
  // The number that a threshold is applied to, or the result of a formula: its operands may not be numbers, or have fewer labels.
  const evaluated = formula ? DECIDES : 'A';
  const unknown = `${title}: not known. The query failed, and the annotation Error has the reason; or it returned no data, ${noData ?? 'and all is well'}.`;
  return {
    summary: title,
    description: ifKnown(evaluated, description, unknown),
    action: ifKnown(evaluated, action, CHECK),
  };
}

/** An instant query, which needs no reduce step. */
const instant = (expr: string): Query => ({
  past: 10 * 60,
  model: { expr: flat(expr), instant: true, range: false },
});

/** PromQL is written over several lines here, and saved in one. */
const flat = (expr: string): string =>
  expr
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/ ([)\]])/g, '$1');

function queryModel(query: Query | string, index: number) {
  const { past, model } = typeof query === 'string' ? instant(query) : query;
  const refId = letter(index);
  return {
    refId,
    datasourceUid: DATA_SOURCE_UID,
    relativeTimeRange: { from: past, to: 0 },
    model: { refId, ...model },
  };
}

function condition({ above = 0, below, formula }: AlertRule) {
  const evaluator = below === undefined ? { type: 'gt', params: [above] } : { type: 'lt', params: [below] };
  const decides = formula
    ? { type: 'math', expression: formula }
    : { type: 'threshold', expression: 'A', conditions: [{ evaluator }] };
  return {
    refId: DECIDES,
    datasourceUid: EXPRESSION.uid,
    model: { refId: DECIDES, datasource: EXPRESSION, ...decides },
  };
}
