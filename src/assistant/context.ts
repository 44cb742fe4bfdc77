import { createAssistantContextItem, provideQuestions, providePageContext } from '@grafana/assistant';
import type { DataSourceInstanceSettings } from '@grafana/data';
import { t } from '../i18n';
import { chapters } from '../query/help/examples';
import type { GpuCloudOptions } from '../types';

/** Explore, and the dashboards that are shipped. */
const PAGES = /^\/(explore$|d\/gpucloud-)/;

/** The data sources that the assistant knows: Grafana makes one anew after its settings are saved. */
const described = new Set<string>();

/**
 * Adds to what the assistant knows on these pages: how this data source is queried, an example of each kind, and questions to
 * begin with. It knows Prometheus, but not this type.
 */
export function describeToAssistant({ uid, name, type, jsonData }: DataSourceInstanceSettings<GpuCloudOptions>): void {
  if (described.has(uid)) {
    return;
  }
  described.add(uid);
  const examples = chapters().flatMap((chapter) =>
    chapter.examples.map(({ title, explanation, query: { refId, ...query } }) => ({
      of: `${chapter.title}: ${title}. ${explanation}`,
      query,
    }))
  );
  providePageContext(PAGES, [
    createAssistantContextItem('structured', {
      hidden: true,
      // As long as the help is.
      bypassLimits: true,
      title: name,
      data: {
        dataSource: { uid, name, type },
        about:
          'PromQL over GPU, node, network, storage and Slurm metrics, sent as to a Prometheus data source; other queries have a queryType. Requests only read. An error is an outage, an empty result is not. DCGM_FI_DEV_GPU_UTIL says that a kernel runs, not that it computes.',
        examples,
      },
    }),
  ]);
  const context = [createAssistantContextItem('datasource', { datasourceUid: uid })];
  const questions = [
    t('Why did GPU utilization drop, and which jobs and checkpoints were there at that time?'),
    t('Which nodes have idle GPUs, and since when?'),
    t('Which GPUs are hot, slow or faulty, and what do I do first?'),
    ...(jsonData.intelligenceUrl ? [t('Which fine-tuning jobs failed this week, and why?')] : []),
    ...(jsonData.accessKeyId ? [t('Can 64 GPUs run now, and where?')] : []),
  ];
  provideQuestions(
    PAGES,
    questions.map((prompt) => ({ prompt, context }))
  );
}
