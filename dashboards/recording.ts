import { toYaml, type GeneratedFolder } from './generatedFile.ts';
import { countsToRecord, RECORD, teamsToRecord } from './lib/causePromql.ts';

/**
 * Seldom enough for a large fleet, each of whose GPUs is looked at, and twice in the five minutes in which engines look for a sample. It has
 * little in common with an hour: at whole numbers of minutes, what jobs do at regular times would be found always or never.
 */
const INTERVAL = '140s';

const groups = [
  { name: 'GPU time', interval: INTERVAL, rules: [{ record: RECORD, expr: countsToRecord() }] },
  { name: 'GPUs of teams', interval: '280s', rules: teamsToRecord() },
];

const COMMENT = [
  'Made from dashboards/recording.ts by `npm run dashboards`: change it there, or copy this file and change the copy.',
  'For a Prometheus or vmalert that has the metrics of the GPUs. What it records, and how to query it: docs/gpu-time.md.',
];

/** Recording rules, in the format of Prometheus: for fleets that are too large to look at every GPU whenever a panel is opened. */
export const recording: GeneratedFolder = {
  folder: 'provisioning/recording',
  ending: '.yaml',
  files: { 'gpu-time': toYaml({ groups }, COMMENT) },
};
