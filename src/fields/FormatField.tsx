import React from 'react';
import type { CoreApp } from '@grafana/data';
import { t } from '../i18n';
import { isAlerting } from '../types/definition';
import { ChoiceField } from './ChoiceField';

/** What can be made of a result. */
export interface Format<Value> {
  value: Value;
  label: string;
  description: string;
  inAlerts?: true;
}

interface Props<Value, Query> {
  formats: Array<Format<Value>>;
  query: Query;
  onChange: (query: Query) => void;
  app?: CoreApp;
}

/** What is made of a query's result. An alert rule gets numbers in every format: it is offered those that count differently. */
export function FormatField<Value extends string, Query extends { format?: Value }>(props: Props<Value, Query>) {
  const { formats, query, onChange, app } = props;
  const offered = isAlerting(app) ? formats.filter(({ inAlerts }) => inAlerts) : formats;
  if (offered.length === 0) {
    return null;
  }
  return (
    <ChoiceField
      label={t('Format')}
      options={offered}
      value={(offered.find(({ value }) => value === query.format) ?? offered[0]).value}
      onChange={(format) => onChange({ ...query, format })}
    />
  );
}
