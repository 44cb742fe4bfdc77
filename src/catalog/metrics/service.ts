import { shown } from './starter.ts';
import type { MetricGroup } from './types.ts';

export const LOAD_BALANCER: MetricGroup = {
  name: 'Load balancer',
  description: 'Traffic and connections of each load balancer’s port.',
  interval: '30s',
  labels: ['elb_name', 'vip_port', 'proto'],
  needs: 'A load balancer in the project.',
  families: [
    { name: 'vendor_elb_in_packets', type: 'counter', help: 'Packets from clients.' },
    { name: 'vendor_elb_out_packets', type: 'counter', help: 'Packets to clients.' },
    { name: 'vendor_elb_bytes_in', type: 'counter', unit: 'bytes', help: 'Data from clients.' },
    { name: 'vendor_elb_bytes_out', type: 'counter', unit: 'bytes', help: 'Data to clients.' },
    { name: 'vendor_elb_active_flows', help: 'Connections that are open.' },
    { name: 'vendor_elb_new_flows', type: 'counter', help: 'Connections that were opened.' },
  ],
  queries: [
    shown('Open connections', 'openConnections', 'elb_name'),
    shown('Traffic to clients', 'balancerSent', 'elb_name'),
    shown('New connections', 'newConnections', 'elb_name'),
  ],
};

/** What workloads export themselves. The names are examples: every workload has its own. */
export const CUSTOM: MetricGroup = {
  name: 'Custom metrics',
  description: 'What your own workloads export. The names here are examples; yours are in the metrics browser.',
  interval: '1m',
  labels: ['metrics_source', 'pod_name', 'pod_ip'],
  needs: 'Pods of a managed container cluster that are annotated for scraping, in a project for which that is enabled.',
  areExamples: true,
  families: [
    { name: 'training_loss', help: 'Loss of the last training step.' },
    { name: 'learning_rate', help: 'Learning rate of the last training step.' },
    { name: 'batch_seconds', unit: 's', help: 'How long the last batch took.' },
    { name: 'checkpoint_total', type: 'counter', help: 'Checkpoints that the job has written.' },
  ],
  queries: [
    {
      name: 'Which metrics there are',
      description: 'How many series each custom metric has. Use it as a table.',
      expr: 'count by (__name__) ({metrics_source="custom-metrics"})',
      legend: '{{__name__}}',
    },
    {
      name: 'Training loss',
      description: 'By pod, smoothed over 10 minutes.',
      expr: 'avg_over_time(training_loss[10m])',
      legend: '{{pod_name}}',
    },
    {
      name: 'Slow batches',
      description: 'How much longer than its median of the past hour each pod’s last batch took.',
      expr: 'batch_seconds / quantile_over_time(0.5, batch_seconds[1h])',
      legend: '{{pod_name}}',
    },
  ],
};
