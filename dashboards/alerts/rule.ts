import { type Condition, type Query } from './expressions.ts';

/** How much it matters: `critical` loses work or money now, `warning` will, `info` is worth knowing. */
export type Severity = 'critical' | 'warning' | 'info';

/** A Grafana-managed alert rule, as provisioning takes it, without what is the same for all. */
export interface AlertRule {
  /** Also its uid, after `gpucloud-`, and the heading of its runbook, which is the title. At most 31 characters. */
  id: string;
  /** One line: what is the case when it fires. */
  title: string;
  severity: Severity;
  /** Asked of the data source; its answer is called A. */
  query: Query;
  /** What is made of the answer; the last one decides. */
  conditions: Condition[];
  /** How long it must be the case. A multiple of the group's interval. */
  pending: string;
  /** What no answer means, and why. A failed query is always an error. */
  noData: { state: 'OK' | 'NoData'; because: string };
  /** For the notification's title; `$labels` and `$values` can be used. Said only where the rule could be evaluated. */
  summary: string;
  /** For the notification's body: the value, and the first thing to look at. */
  description: string;
  /** The rule is there to tell that a query fails: its texts are said then as well. */
  tellsFailure?: true;
}

/** Rules that are evaluated together. */
export interface RuleGroup {
  name: string;
  /** How often: not more often than the platform collects what is asked for. */
  interval: '1m' | '5m';
  rules: AlertRule[];
}

/** A file of rule groups that need the same service of the platform, so that it can be left out as a whole. */
export interface RuleFile {
  /** Without `.yaml`. */
  name: string;
  /** Which service or setting it needs, as a comment at its top. */
  needs: string;
  groups: RuleGroup[];
}
