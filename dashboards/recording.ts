import { Document } from 'yaml';
import { type GeneratedFolder } from './generatedFile.ts';
import { causeOfGpu, countsOf, ofFleet } from './lib/gpuTime.ts';

/** The label that names a node, in the metrics of GPUs and of their machines. */
const HOST = 'vm_name';
const NODE = `cluster_id, nodepool_name, ${HOST}`;

const CAUSES = causeOfGpu({
  ...ofFleet(NODE),
  evidence: { select: (metric, ...more) => `{${[`__name__=~".+_${metric}"`, ...more].join(', ')}}`, host: HOST },
});

const groups = [
  {
    name: 'GPU time',
    interval: '1m',
    rules: [{ record: 'gpucloud:gpus:by_cause', expr: countsOf(CAUSES, NODE) }],
  },
];

const FOLDER = 'provisioning/recording';

/** Recording rules, in the format of Prometheus: for fleets that are too large to look at every GPU whenever a panel is opened. */
export const recording: GeneratedFolder = {
  folder: FOLDER,
  ending: '.yaml',
  files: () => [{ path: `${FOLDER}/gpu-time.yaml`, content: toYaml() }],
};

function toYaml(): string {
  const document = new Document({ groups });
  document.commentBefore = [
    ' Made from dashboards/recording.ts by `npm run dashboards`: change it there, or copy this file and change the copy.',
    ' For a Prometheus or vmalert that has the metrics of the GPUs. What it records, and how to query it: docs/gpu-time.md.',
  ].join('\n');
  return document.toString({ lineWidth: 0, singleQuote: true });
}
