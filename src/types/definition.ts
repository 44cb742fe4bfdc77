import type { ComponentType } from 'react';
import { CoreApp } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import type { Setting } from '../config/missing';
import type { GpuCloudQueryEditorProps } from '../query/editorProps';
import type { TypedService } from '../services';
import type { GpuCloudOptions } from '../types';
import type { OptionKind } from './options';

/** What a query has besides what every query of Grafana has. */
export type OptionsOf<Query extends DataQuery> = Omit<Query, keyof DataQuery>;

/** Where a new query stands. */
export interface Place {
  settings: GpuCloudOptions;
  /** Whether it is that of an alert rule, which needs numbers. */
  alerting: boolean;
}

export interface FieldsProps<Query extends DataQuery> extends Pick<
  GpuCloudQueryEditorProps,
  'datasource' | 'app' | 'data' | 'range'
> {
  query: Query;
  /** Saves the query and runs it. */
  onChange: (query: Query) => void;
}

/** A query type: all that is its own. */
export interface Definition<Query extends DataQuery> {
  service: TypedService;
  label: string;
  /** What it shows, beside the choice of one. */
  description: string;
  options: Record<keyof OptionsOf<Query>, OptionKind>;
  /** Whether editors of panels offer it, which they do if it is missing, and those of alert rules, which need numbers. */
  inPanels?: false;
  inAlerts?: true;
  /** The section of the settings that it can't do without. The fields of others say what they lack. */
  needs?: Setting;
  /** The options of a new query, which has a result at once. It has none if this is missing. */
  blank?: (place: Place) => OptionsOf<Query>;
  /** Options that have no field beside the others, and must have no effect. */
  ignored?: (query: Query) => Array<keyof OptionsOf<Query>>;
  /** Whether nothing was entered yet of what a query is about. It is not run. */
  isBlank?: (query: Query) => boolean;
  /** Loads the editor's fields, with the first query of the type. If it is missing, the options are choices from lists. */
  load?: () => Promise<{ Fields: ComponentType<FieldsProps<Query>> }>;
}

/** Whether an editor is that of an alert rule. */
export const isAlerting = (app: CoreApp | undefined): boolean =>
  app === CoreApp.UnifiedAlerting || app === CoreApp.CloudAlerting;
