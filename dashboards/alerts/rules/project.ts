import { listOf } from '../../lib/queries.ts';
import { atEnd, WITHOUT_NODES } from '../../lib/quantities.ts';
import { QUARTER_HOUR, type Query, typed, type RuleGroup } from '../rule.ts';
import { valueOf, fixed } from '../texts.ts';

/** A number of each item of a list of the project, with the texts that name it. */
function listed(list: string, texts: Array<{ selector: string; name?: string }>, number: string): Query {
  const columns = [
    ...texts.map((text) => ({ ...text, type: 'string' as const })),
    { selector: number, type: 'number' as const },
  ];
  return typed(QUARTER_HOUR, listOf(`/v1/projects/{projectId}/${list}`, { columns }));
}

const quota = (number: string): Query => listed('quotas', [{ selector: 'name' }, { selector: 'location' }], number);

const USED = atEnd('sharedDiskUsed', WITHOUT_NODES, 'disk_name');
const IN_FOUR_DAYS = `(${USED} + 4 * ${atEnd('sharedDiskGrowth', WITHOUT_NODES, 'disk_name')})`;

/**
 * The size up to which a disk is too small, so that the rule needs no third query: what is used is above 90 % of it, or above 85 %, and in
 * four days above all of it.
 */
const TOO_SMALL = `(${IN_FOUR_DAYS} < ${USED} / 0.85 or ${USED} / 0.85 and ${IN_FOUR_DAYS}) > ${USED} / 0.9 or ${USED} / 0.9`;

export const project: RuleGroup = {
  name: 'Project',
  interval: '5m',
  rules: [
    {
      id: 'quota-nearly-used',
      title: 'Quota nearly used up',
      severity: 'info',
      query: quota('used'),
      second: quota('limit'),
      formula: '$A > 0.9 * $B && $B > 0',
      pending: '15m',
      description: `{{ humanize ${valueOf()} }} of {{ humanize ${valueOf('B')} }} of the quota {{ $labels.name }}{{ with $labels.location }} in {{ . }}{{ end }} are used.`,
      action: 'Ask the platform for more, or give back what is not needed, before the next job is refused.',
      link: { board: 'capacity', panel: 'Quotas of the project' },
    },
    {
      id: 'shared-disk-full',
      title: 'Shared disk nearly full',
      severity: 'warning',
      query: TOO_SMALL,
      // The name of a disk in metrics is that of the main API, in which several disks may have one: not shared ones.
      second: listed('storage/disks', [{ selector: 'name', name: 'disk_name' }, { selector: 'id' }], 'size_bytes'),
      formula: '$A > $B',
      pending: '15m',
      description:
        'Shared disk {{ $labels.disk_name }} is used by more than 90 %, or will be full in four days as it grows.',
      action: 'Delete old checkpoints and data sets, or enlarge the disk: jobs of all nodes fail when it is full.',
      link: { board: 'network', panel: 'Shared disks of all clusters, and when they are full', hours: 24 },
    },
  ],
};

export const capacity: RuleGroup = {
  name: 'Capacity',
  rules: [
    {
      id: 'gpus-free',
      title: 'Room for a job',
      severity: 'info',
      query: typed(QUARTER_HOUR, { queryType: 'placement', format: 'number', types: ['h100'] }),
      above: 63,
      noData: 'and places without room have the number 0, so the name of the type is wrong',
      description: `${fixed(0)} {{ $labels.type }} can run on {{ $labels.source }}{{ with $labels.location }} in {{ . }}{{ end }}{{ with $labels.node_pool }}, {{ . }}{{ end }}.`,
      action: 'Start your job: others wait for GPUs, too.',
      link: { board: 'capacity', panel: 'Places, the best first' },
    },
  ],
};
