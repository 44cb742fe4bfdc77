import { toYaml, type GeneratedFolder } from './generatedFile.ts';
import { countsToRecord, RECORD, teamsToRecord } from './lib/causePromql.ts';
import { secondsBetween } from './lib/gpuStates.ts';

const group = (name: string, rules: ReturnType<typeof teamsToRecord>) => ({
  name,
  interval: `${secondsBetween(rules[0].record)}s`,
  rules,
});

const groups = [
  group('GPU time', [{ record: RECORD, expr: countsToRecord() }]),
  group('GPUs of teams', teamsToRecord()),
];

const COMMENT = [
  'Made from dashboards/recording.ts by `npm run dashboards`: change it there, or copy this file and change the copy.',
  'For a Prometheus or vmalert that has the metrics of the GPUs. What it records, and how to query it: docs/gpu-time.md.',
];

const FOLDER = 'provisioning/recording';

/** Recording rules, in the format of Prometheus: for fleets that are too large to look at every GPU whenever a panel is opened. */
export const recording: GeneratedFolder = {
  folder: FOLDER,
  ending: '.yaml',
  files: () => [{ path: `${FOLDER}/gpu-time.yaml`, content: toYaml({ groups }, COMMENT) }],
};
