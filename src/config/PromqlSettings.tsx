import React from 'react';
import { ConfigSubSection } from '@grafana/plugin-ui';
import { Field, RadioButtonGroup } from '@grafana/ui';
import { DEFAULT_HTTP_METHOD, DEFAULT_SCRAPE_INTERVAL } from '../metrics/defaults';
import type { GpuCloudOptions } from '../types';
import { setOption, type SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';
import { countError, durationError, paramsError } from './validation';

const METHODS = ['GET', 'POST'].map((value) => ({ value, label: value }));

type Editor = NonNullable<GpuCloudOptions['defaultEditor']>;

const BUILDER = 'builder' as Editor;

const EDITORS = [
  { value: BUILDER, label: 'Builder' },
  { value: 'code' as Editor, label: 'Code' },
];

const SENT: Setting[] = [
  {
    option: 'timeInterval',
    label: 'Scrape interval',
    description: 'How often most metrics are collected. $__rate_interval is four times as long.',
    placeholder: DEFAULT_SCRAPE_INTERVAL,
    check: durationError,
  },
  {
    option: 'queryTimeout',
    label: 'Query timeout',
    description: 'When the platform should give up on a query. Without it, its own limit applies.',
    placeholder: '30s',
    check: durationError,
  },
  {
    option: 'customQueryParameters',
    label: 'Custom query parameters',
    description: 'Sent with every query, for example to a gateway in between.',
    placeholder: 'name=value&other=value',
    check: paramsError,
  },
];

const OFFERED: Setting[] = [
  {
    flag: 'disableMetricsLookup',
    label: 'Disable metrics lookup',
    description: "The editors then don't offer names of metrics and labels, which helps where there are very many.",
  },
  {
    option: 'seriesLimit',
    label: 'Names to offer',
    description: 'The most names of metrics and labels, and values of labels, that the editors request.',
    placeholder: '40000',
    type: 'number',
    check: countError,
  },
];

/**
 * How PromQL is sent and edited: those settings of Grafana's Prometheus data source that have an effect here, under the
 * same names. Left out are the ones for recording rules, exemplars, query statistics and the search API, which the platform
 * doesn't have, and the browser's caches, because the backend has one.
 */
export function PromqlSettings(props: SectionProps) {
  const { jsonData, readOnly } = props.options;
  return (
    <ConfigSubSection title="PromQL">
      <SettingFields {...props} fields={SENT} />
      <Field label="HTTP method" description="The platform documents GET only." disabled={readOnly} noMargin={false}>
        <RadioButtonGroup
          aria-label="HTTP method"
          options={METHODS}
          value={jsonData.httpMethod?.toUpperCase() || DEFAULT_HTTP_METHOD}
          onChange={(method) => setOption(props, 'httpMethod', method)}
        />
      </Field>
      <Field label="Default editor" description="Of new queries." disabled={readOnly} noMargin={false}>
        <RadioButtonGroup
          aria-label="Default editor"
          options={EDITORS}
          value={jsonData.defaultEditor ?? BUILDER}
          onChange={(editor) => setOption(props, 'defaultEditor', editor)}
        />
      </Field>
      <SettingFields {...props} fields={OFFERED} />
    </ConfigSubSection>
  );
}
