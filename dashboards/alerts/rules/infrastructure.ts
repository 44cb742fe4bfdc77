import { now, threshold, vendor } from '../expressions.ts';
import { ON_NODE } from '../links.ts';
import { type RuleGroup } from '../rule.ts';
import { counted, fixed, NODE, oneOrMany } from '../texts.ts';

const PORT = 'cluster_id, vm_name, instance, hca_number';
const PORT_TEXT = `port {{ $labels.hca_number }} of ${NODE}`;
const OF_PORT = { ...ON_NODE, hca: '$labels.hca_number' };

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
      summary: 'Fires when the InfiniBand link of a port went down within 15 minutes.',
      description: `The InfiniBand link of ${PORT_TEXT} went down within the past 15 minutes. Jobs over several nodes may hang or fail.`,
      action:
        'Look whether ports of other nodes went down, too: then it is a switch. If not, drain the node and report its port.',
      link: { board: 'infiniband', panel: 'Ports with errors', variables: OF_PORT },
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
      summary: 'Fires when a port counts errors, discarded packets or link recoveries, more than 10 within 15 minutes.',
      description: `InfiniBand ${PORT_TEXT} counted ${fixed('A', 0)} {{ $labels.event }} within 15 minutes.`,
      action:
        'Report the port if it is the only one: a cable or an adapter. On many ports at once it is a switch, or congestion if packets are discarded.',
      link: { board: 'infiniband', panel: 'Ports with errors', variables: OF_PORT },
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
              100 * ${vendor('vm_disk_bytes_used')} / (${vendor('vm_disk_bytes_total')} > 0)
            )
          )`),
      conditions: [threshold('A', 'gt', 90)],
      pending: '15m',
      noData: { state: 'OK', because: 'the platform collects no disks of this project' },
      summary: 'Fires when more than 90 % of a file system is used.',
      description: `{{ $labels.mount_point }} of ${NODE} ({{ $labels.device }}) is ${fixed('A', 1)} % full.`,
      action: 'Delete old checkpoints and caches, or enlarge the disk, before the next checkpoint: it may not fit.',
      link: {
        board: 'node',
        panel: 'Disk space in use',
        variables: ON_NODE,
        hours: 24,
        states: { board: 'storage', panel: 'Fullest file systems' },
      },
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
          100 * sum by (${LISTENER}) (rate(${FLOWS}[5m]))
          / (sum by (${LISTENER}) (rate(${FLOWS}[1h] offset 1h)) > 1)`),
      conditions: [threshold('A', 'lt', 30)],
      pending: '5m',
      noData: { state: 'OK', because: 'no load balancer had enough traffic an hour ago to compare with' },
      summary: 'Fires when a load balancer gets less than 30 % of the new connections of one to two hours ago.',
      description: `Load balancer {{ $labels.elb_name }}, port {{ $labels.vip_port }}, gets ${fixed('A', 1)} % of the new connections that it got one to two hours ago.`,
      action: 'Check the health of the servers behind it, then name resolution and certificates.',
      link: {
        board: 'load-balancer',
        panel: 'New connections',
        variables: { balancer: '$labels.elb_name', port: '$labels.vip_port' },
      },
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
      summary: 'Fires when nodes do not respond to the Slurm scheduler.',
      description: `${counted('A', 'node')} of Slurm cluster {{ $labels.cluster_id }} ${oneOrMany('A', 'does', 'do')} not respond to the scheduler.`,
      action: 'Read the reason with sinfo -R, and look for XID errors on the nodes.',
      link: { board: 'slurm', panel: 'Nodes by state', variables: { slurm_cluster: '$labels.cluster_id' } },
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
      noData: {
        state: 'NoData',
        because: 'a platform that does not even return 1 for the query 1 has no working metrics',
      },
      summary: 'Fires when the platform does not respond to a query that needs no data.',
      description:
        'Platform unreachable: a query that needs no data fails, and the annotation Error has the reason. Until it succeeds, no other rule on metrics can be evaluated.',
      action:
        'Open Connections → Data sources → GPU Cloud and press “Save & test”: it says what was refused or not reached.',
      link: { board: 'health', panel: 'Metric families' },
      reportsFailure: true,
    },
  ],
};
