import React from 'react';
import { LoadingState, type PanelData } from '@grafana/data';
import { buildVisualQueryFromString } from '@grafana/prometheus';
import { Button } from '@grafana/ui';
import { t } from '../../i18n';
import { Hint } from '../../help/Hint';
import type { MetricsQuery } from '../../types';
import { usePlatformMetrics } from '../catalog/usePlatformMetrics';
import type { GpuCloudQueryEditorProps } from '../editorProps';
import { shortWindow, type ShortWindow } from './shortWindow';

type Props = Pick<GpuCloudQueryEditorProps, 'data' | 'datasource' | 'onChange' | 'onRunQuery'> & {
  query: MetricsQuery;
};

/** Explains an empty result of a PromQL query: a window with a single sample, or a metric that the platform doesn't have. */
export function NoSeriesHint(props: Props) {
  const { data, datasource, query } = props;
  const target = data?.request?.targets.find(({ refId }) => refId === query.refId);
  const hasChanged = target && 'expr' in target && target.expr !== query.expr;
  if (!data || !query.expr || hasChanged || !isEmpty(data, query.refId)) {
    return null;
  }
  const short = shortWindow(query.expr, datasource.metrics.interval);
  return short ? <ShortWindowHint {...props} short={short} /> : <UnknownMetricHint {...props} />;
}

/** Whether a query has finished without an error and without a series. */
function isEmpty({ state, series, errors = [] }: PanelData, refId: string): boolean {
  const failed = errors.some((error) => error.refId === undefined || error.refId === refId);
  return state === LoadingState.Done && !failed && !series.some((frame) => frame.refId === refId && frame.length > 0);
}

function ShortWindowHint({ query, onChange, onRunQuery, short }: Props & { short: ShortWindow }) {
  const { shown, interval, fixed } = short;
  return (
    <Hint
      text={t('{{shown}} takes two samples, but the metric has one every {{interval}}, so this window is empty.', {
        shown,
        interval,
      })}
    >
      <Button
        size="sm"
        variant="secondary"
        onClick={() => {
          onChange({ ...query, expr: fixed });
          onRunQuery();
        }}
      >
        {t('Use $__rate_interval')}
      </Button>
    </Hint>
  );
}

function UnknownMetricHint({ datasource, data, query }: Props) {
  const { names } = usePlatformMetrics(datasource.metrics, data?.timeRange);
  const unknown = names?.size ? metricsOf(query.expr).find((name) => !names.has(name)) : undefined;
  return unknown ? (
    <Hint
      text={t('The platform has no metric “{{unknown}}” in this time range. The catalog has those that there are.', {
        unknown,
      })}
    />
  ) : null;
}

/** The metrics that an expression names, as far as they are no variables. */
function metricsOf(expr: string): string[] {
  const namesIn = ({ metric, binaryQueries = [] }: VisualQuery): string[] => [
    metric,
    ...binaryQueries.flatMap(({ query }) => namesIn(query)),
  ];
  return namesIn(buildVisualQueryFromString(expr).query).filter((name) => /^[a-zA-Z_:][\w:]*$/.test(name));
}

type VisualQuery = ReturnType<typeof buildVisualQueryFromString>['query'];
