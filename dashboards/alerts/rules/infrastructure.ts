import { now, threshold, vendor } from '../expressions.ts';
import { type RuleGroup } from '../rule.ts';

const PORT = 'cluster_id, vm_name, instance, hca_number';
const PORT_WHERE = 'Port {{ $labels.hca_number }} of {{ or $labels.vm_name $labels.instance }}';

/** How often something happened to a port, with a label that says what. */
const portEvents = (metric: string, event: string): string =>
  `max by (${PORT}, event) (label_replace(increase(${vendor(`ib_port_${metric}`)}[15m]), "event", "${event}", "", ""))`;

/** The platform collects InfiniBand every 5 minutes: a quarter of an hour holds three samples. */
export const infiniband: RuleGroup = {
  name: 'InfiniBand',
  interval: '5m',
  rules: [
    {
      id: 'infiniband-link-down',
      title: 'InfiniBand link down',
      severity: 'critical',
      query: now(`max by (${PORT}) (increase(${vendor('ib_port_link_downed')}[15m])) > 0`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '0s',
      noData: { state: 'OK', because: 'no link went down, or there is no InfiniBand here' },
      summary: `${PORT_WHERE} went down`,
      description:
        'The InfiniBand link went down within the past 15 minutes. Jobs over several nodes may hang or fail.',
    },
    {
      id: 'infiniband-errors',
      title: 'InfiniBand errors',
      severity: 'warning',
      query: now(`
          topk(100,
            ${portEvents('error_rx', 'packets with errors')}
            or ${portEvents('xmit_discard', 'discarded packets')}
            or ${portEvents('link_error_recovery', 'link recoveries')}
          )`),
      conditions: [threshold('A', 'gt', 10)],
      pending: '5m',
      noData: { state: 'OK', because: 'there is no InfiniBand here' },
      summary: `${PORT_WHERE} has {{ $labels.event }}`,
      description:
        '{{ printf "%.0f" $values.A.Value }} {{ $labels.event }} within 15 minutes: a cable, a port or a switch.',
    },
  ],
};

export const storage: RuleGroup = {
  name: 'Storage',
  interval: '1m',
  rules: [
    {
      id: 'disk-nearly-full',
      title: 'Disk nearly full',
      severity: 'warning',
      query: now(`
          topk(100,
            max by (vm_name, instance, device, mount_point) (
              ${vendor('vm_disk_bytes_used')} / ${vendor('vm_disk_bytes_total')}
            )
          )`),
      conditions: [threshold('A', 'gt', 0.9)],
      pending: '15m',
      noData: { state: 'OK', because: 'the platform collects no disks of this project' },
      summary: '{{ $labels.mount_point }} of {{ or $labels.vm_name $labels.instance }} is nearly full',
      description:
        '{{ humanizePercentage $values.A.Value }} of {{ $labels.device }} are used. The next checkpoint may not fit.',
    },
  ],
};

const FLOWS = vendor('elb_new_flows');
const LISTENER = 'elb_name, vip_port, proto';

export const loadBalancer: RuleGroup = {
  name: 'Load balancer',
  interval: '1m',
  rules: [
    {
      id: 'load-balancer-drop',
      title: 'Load-balancer traffic dropped',
      severity: 'critical',
      query: now(`
          sum by (${LISTENER}) (rate(${FLOWS}[5m]))
          / (sum by (${LISTENER}) (rate(${FLOWS}[1h] offset 1h)) > 1)`),
      conditions: [threshold('A', 'lt', 0.3)],
      pending: '5m',
      noData: { state: 'OK', because: 'no load balancer had enough traffic an hour ago to compare with' },
      summary: 'Traffic of {{ $labels.elb_name }}, port {{ $labels.vip_port }}, dropped',
      description:
        'It gets {{ humanizePercentage $values.A.Value }} of the new connections that it got one to two hours ago.',
    },
  ],
};

export const slurm: RuleGroup = {
  name: 'Slurm',
  interval: '1m',
  rules: [
    {
      id: 'slurm-nodes-down',
      title: 'Slurm nodes down',
      severity: 'critical',
      query: now(`max by (cluster_id) (${vendor('slurm_nodes_down')})`),
      conditions: [threshold('A', 'gt', 0)],
      pending: '5m',
      noData: { state: 'OK', because: 'there is no managed Slurm cluster here' },
      summary: 'Nodes of Slurm cluster {{ $labels.cluster_id }} are down',
      description: '{{ printf "%.0f" $values.A.Value }} nodes do not answer the scheduler.',
    },
  ],
};

export const reachability: RuleGroup = {
  name: 'Platform',
  interval: '1m',
  rules: [
    {
      id: 'platform-unreachable',
      title: 'Platform unreachable',
      severity: 'critical',
      query: now('vector(1)'),
      conditions: [threshold('A', 'lt', 1)],
      pending: '0s',
      noData: { state: 'NoData', because: 'a platform that does not even answer 1 with 1 has no working metrics' },
      summary: 'The GPU cloud platform can’t be reached',
      description:
        'A query that needs no data fails. Until it is answered, no other rule of this data source knows anything.',
      tellsFailure: true,
    },
  ],
};
