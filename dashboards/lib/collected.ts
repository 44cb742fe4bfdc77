import { FIRST_GPU } from './allocation.ts';
import { anywhere, vendor, withLabel } from './promql.ts';
import { hidden, labelIn, type Variable } from './variables.ts';

/** A family of metrics that the platform collects together, by one metric with few series. */
export interface Collected {
  /** That of a vendor's metric is without its prefix. */
  metric: string;
  /** How much an alert on its end matters: `urgent` rules need it, or `lesser` rules and dashboards know less without it. */
  needed?: 'urgent' | 'lesser';
}

/** Families by their titles. Profiling is not urgent, because it stops by itself while somebody profiles a job. */
export const COLLECTED = {
  GPUs: { metric: 'DCGM_FI_DEV_FB_USED', needed: 'urgent' },
  profiling: { metric: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', needed: 'lesser' },
  machines: { metric: 'vm_memory_total_bytes', needed: 'urgent' },
  InfiniBand: { metric: 'ib_port_line_rate', needed: 'urgent' },
  'shared disks': { metric: 'sdisk_capacity_used_bytes', needed: 'urgent' },
  'local NVMe drives': { metric: 'vm_nvme_percentage_used', needed: 'lesser' },
  disks: { metric: 'vm_disk_bytes_used', needed: 'urgent' },
  'object storage': { metric: 'vm_objectstore_bytes_recv_total', needed: 'lesser' },
  'load balancers': { metric: 'elb_new_flows', needed: 'urgent' },
  Slurm: { metric: 'slurm_nodes', needed: 'urgent' },
  'Slurm, by soperator': { metric: 'slurm_node_info', needed: 'urgent' },
  'Slurm, by sinfo': { metric: 'slurm_nodes_idle' },
  'kube-state-metrics': { metric: 'kube_pod_status_phase' },
} satisfies Record<string, Collected>;

type FamilyName = keyof typeof COLLECTED;

/** A family, or several of which one does, with a title. */
export type Need = FamilyName | [title: string, ...anyOf: FamilyName[]];

/** Series of a family: of its metric, or of one of a vendor whose name is not known to the end. */
export const familySelector = (metric: string, ofVendor: (name: string) => string): string =>
  /^(DCGM|kube)_|^slurm_node(_info|s_idle)$/.test(metric) ? anywhere(metric) : ofVendor(metric);

/** Which of the families that a dashboard needs are not collected, as a text: that of its link to what they need. Empty if all are. Hidden. */
export function notCollected(needs: Need[]): Variable {
  const lacking = needs.map((need, i) => {
    const [title, ...anyOf] = typeof need === 'string' ? ([need, need] as const) : need;
    const absent = anyOf.map((name) => {
      const { metric } = COLLECTED[name];
      const series = metric.startsWith('DCGM_') ? anywhere(metric, FIRST_GPU) : familySelector(metric, vendor);
      return `absent_over_time(${series}[15m])`;
    });
    // To VictoriaMetrics what is not absent is a series without values, which `or` takes for one, and `and` does not.
    const text = `${withLabel('vector(0)', `f${i}`, `, ${title}`)} and on () ${absent.join(' and on () ')}`;
    return ` * on () group_left (f${i}) (${text} or on () vector(0))`;
  });
  const all = `label_join(vector(0)${lacking.join('')}, "lacking", "", ${needs.map((_, i) => `"f${i}"`).join(', ')})`;
  const text = `label_replace(${all}, "lacking", "Not collected here: $1", "lacking", ", (.+)")`;
  return {
    ...hidden('not_collected', text, labelIn('lacking'), 'What is not collected of what this dashboard shows'),
    current: { text: '', value: '' },
    skipUrlSync: true,
  };
}
