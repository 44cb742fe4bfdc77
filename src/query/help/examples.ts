import { t } from '../../i18n';
import { describeQuery } from '../../saved/typedQuery';
import type { GpuCloudQuery, MetricsQuery, TypedQuery } from '../../types';
import { QUOTAS } from '../../types/list/quotas';

/** A query to try, and what there is to learn from it. */
interface Example {
  title: string;
  explanation: string;
  /** The query in a line. */
  shown: string;
  query: GpuCloudQuery;
}

interface Chapter {
  title: string;
  introduction: string;
  examples: Example[];
}

const refId = 'A';

const promql = (title: string, expr: string, explanation: string, more: Partial<MetricsQuery> = {}): Example => ({
  title,
  explanation,
  shown: expr,
  query: { refId, expr, range: true, ...more },
});

const typed = (title: string, query: TypedQuery, explanation: string): Example => ({
  title,
  explanation,
  shown: describeQuery(query),
  query,
});

/** The examples in Grafana's language. */
export const chapters = (): Chapter[] => [
  {
    title: t('Metrics, in PromQL'),
    introduction: t(
      'Most metrics have a sample a minute; InfiniBand and shared disks have one every 5 minutes. Windows have to be longer than that: $__rate_interval always is. The catalog, above the query, has more examples and every metric’s meaning.'
    ),
    examples: [
      promql(
        t('One line for each node'),
        'avg by (instance) (DCGM_FI_DEV_GPU_UTIL)',
        t(
          'A gauge is read as it is. “by” names the labels that remain; all series with the same values of them become one.'
        ),
        { legendFormat: '{{instance}}' }
      ),
      promql(
        t('A single number'),
        'count(max_over_time(DCGM_FI_DEV_GPU_UTIL[15m]) < 5)',
        t('How many GPUs have been idle for 15 minutes. An instant query is enough for stat panels and alert rules.'),
        { range: false, instant: true }
      ),
    ],
  },
  {
    title: t('Fine-tuning'),
    introduction: t(
      'Jobs of the tuning gateway, and what they left behind. Nothing chosen means all. Every option takes dashboard variables.'
    ),
    examples: [
      typed(
        t('Jobs in the time range'),
        { refId, queryType: 'fineTuningJobs' },
        t('A row for each job: status, model, times, tokens, error.')
      ),
      typed(
        t('What went wrong'),
        { refId, queryType: 'fineTuningJobs', statuses: ['failed', 'cancelled'], onlyInRange: false },
        t('Jobs that did not succeed, at any time.')
      ),
      typed(
        t('Jobs over time'),
        { refId, queryType: 'fineTuningJobs', format: 'timeline' },
        t('Their states, for a state timeline panel.')
      ),
      typed(
        t('Training loss'),
        { refId, queryType: 'fineTuningCurves', metrics: ['train_loss', 'valid_loss'] },
        t('A curve for each job. Over steps instead of time, jobs can be compared.')
      ),
    ],
  },
  {
    title: t('Runs'),
    introduction: t(
      'Training runs side by side: fine-tuning jobs, label sets of a series, or names and times. Tick runs below the source.'
    ),
    examples: [
      typed(
        t('Losses from the same start'),
        {
          refId,
          queryType: 'runComparison',
          source: { kind: 'fineTuning' },
          metric: 'train_loss',
          axis: 'rebased',
        },
        t('All jobs of the time range begin at the left edge. Over elapsed time or steps, use a trend panel.')
      ),
      typed(
        t('What each pod’s training took'),
        {
          refId,
          queryType: 'runs',
          source: { kind: 'series', expr: 'training_loss{metrics_source="custom-metrics"}', by: ['pod_name'] },
        },
        t(
          'A row for each pod that reports a loss: GPU-hours, utilization, energy and, with prices in the settings, cost.'
        )
      ),
    ],
  },
  {
    title: t('Training health'),
    introduction: t('What is wrong with training runs, since when, how sure that is, and when they will finish.'),
    examples: [
      typed(
        t('Which jobs to stop'),
        { refId, queryType: 'trainingHealth', statuses: ['running'] },
        t('A row for each finding about the curves of running jobs, the most urgent first, with its evidence.')
      ),
      typed(
        t('When jobs finish'),
        { refId, queryType: 'trainingHealth', statuses: ['running'], format: 'eta' },
        t('By the steps that they report, with an interval, next to what the gateway estimates.')
      ),
    ],
  },
  {
    title: t('Main API'),
    introduction: t('Lists of the main API, as tables and numbers. They take the access key of the data source.'),
    examples: [
      typed(
        t('Capacities'),
        { refId, queryType: 'capacities' },
        t('How many machines of each product are available in each location. Alert rules can be about these numbers.')
      ),
      typed(
        t('Where 64 GPUs can run now'),
        { refId, queryType: 'placement', gpus: '64' },
        t('Capacities, quotas and own idle nodes together: a row for each place, the best first, with what is missing.')
      ),
      typed(
        t('Quotas'),
        { refId, queryType: 'platform', path: QUOTAS.path, columns: QUOTAS.columns },
        t('What the project may have, and what of it is in use.')
      ),
    ],
  },
];
