import type { TypedQuery } from '../lib/queries.ts';
import { type PanelLink } from './links.ts';

export interface Query {
  /** How far it looks back, in seconds. */
  past: number;
  model: Record<string, unknown>;
}

/** How much it matters: `critical` loses work or money now, `warning` will, `info` is worth knowing. */
type Severity = 'critical' | 'warning' | 'info';

/** A Grafana-managed alert rule, as provisioning takes it, without what is the same for all. */
export interface AlertRule {
  /** Also its uid, after `gpucloud-`. At most 31 characters. */
  id: string;
  /** What has happened when it fires. Also the heading of its runbook. */
  title: string;
  severity: Severity;
  /** The query of the data source, or PromQL: its number for each label set is called A. */
  query: Query | string;
  /** A second query, for formulas; its result is called B. */
  second?: Query | string;
  /** It fires where A is above or below a limit, above 0 if none is given: the number to tune. */
  above?: number;
  below?: number;
  /** Instead, of A and B: it fires where this is neither 0 nor without a value. */
  formula?: string;
  /** How long it must be the case: a multiple of the group's interval. It fires at once if it is missing. */
  pending?: string;
  /** How long it goes on after it is no longer the case, for what comes and goes: one alert, not twenty a day. */
  keepFiringFor?: `${number}m` | `${number}h`;
  /** What an empty result means, if that is reported. Elsewhere all is well. A query that fails changes nothing: one rule fires then. */
  noData?: string;
  /** A template, see `texts.ts`: what is the case where, with its number. Only if the rule could be evaluated. */
  description: string;
  /** The first thing to do, as a sentence. May be a template. */
  action: string;
  /** Where to look. */
  link: PanelLink;
  /** Labels that the query does not give. Notifications are grouped by `job`: one a job, whatever is wrong with it. */
  labels?: { job: string };
  /** The rule is there to report that a query fails or has no data: its texts hold for that. */
  reportsFailure?: true;
}

/** Rules that are evaluated together. */
export interface RuleGroup {
  name: string;
  /** How often if it is not every minute: no more often than the platform collects the samples, and for what is measured over half an hour. */
  interval?: '5m';
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

/** Times, in seconds. */
export const QUARTER_HOUR = 15 * 60;
export const DAY = 24 * 60 * 60;

/** A query of another service, over the last seconds. */
export const typed = (past: number, query: TypedQuery): Query => ({ past, model: { ...query } });
