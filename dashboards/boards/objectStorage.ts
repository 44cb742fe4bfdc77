import { board } from '../lib/board.ts';
import { badAbove } from '../lib/display.ts';
import { OBJECT_STORAGE } from '../lib/families.ts';
import { toNode } from '../lib/links.ts';
import { graph, list } from '../lib/panels.ts';
import { latency, mean, onNode, rate, vendor, withNode } from '../lib/promql.ts';
import { range, rows } from '../lib/queries.ts';
import { clusters, host, nodes, prefix, several } from '../lib/variables.ts';

const CONNECTIONS = '${prefix}_vm_objectstore_connections_total';
const seen = (metric: string) => onNode(vendor(`vm_objectstore_${metric}`), 'endpoint=~"$endpoint"');

const byEndpoint = (title: string, description: string, unit: string, metric: string) =>
  graph({
    title,
    description,
    family: OBJECT_STORAGE,
    ofFleet: true,
    width: 12,
    unit,
    min: 0,
    queries: [range(`sum by (endpoint) (${rate(seen(metric))})`, '{{endpoint}}')],
  });

const quantiles = graph({
  title: 'Time to connect',
  description: 'On average, and the 99th percentile: one in a hundred connections took longer.',
  family: OBJECT_STORAGE,
  ofFleet: true,
  width: 12,
  unit: 's',
  min: 0,
  queries: [
    range(mean(seen, 'connection_latency_histogram_seconds', 'endpoint'), '{{endpoint}} average'),
    range(
      latency(0.99, seen('connection_latency_histogram_seconds_bucket'), 'endpoint'),
      '{{endpoint}} 99th percentile'
    ),
  ],
});

const retransmits = graph({
  title: 'TCP segments sent again, for a connection',
  description: 'Retransmitted segments for each connection made. It rises when the network on the way loses packets.',
  family: OBJECT_STORAGE,
  ofFleet: true,
  width: 12,
  unit: 'suffix: per connection',
  min: 0,
  queries: [
    range(
      `sum by (endpoint) (${rate(seen('tcp_retransmits_total'))}) / sum by (endpoint) (${rate(seen('connections_total'))})`,
      '{{endpoint}}'
    ),
  ],
});

const slowest = list({
  title: 'Slowest nodes',
  description:
    'The nodes that waited longest to connect, by the 99th percentile, over the last quarter of an hour of the range.',
  family: OBJECT_STORAGE,
  width: 12,
  queries: [
    rows(
      withNode(
        `topk(20, histogram_quantile(0.99, sum by (le, \${host}) (rate(${seen('connection_latency_histogram_seconds_bucket')}[15m]))))`
      )
    ),
  ],
  columns: {
    node: { title: 'Node', link: toNode(true) },
    Value: { title: '99th percentile', unit: 's', cell: 'color-text', steps: badAbove(0.1, 0.5) },
  },
  sortBy: '99th percentile',
});

export const objectStorage = () =>
  board({
    uid: 'gpucloud-object-storage',
    title: 'Object storage',
    description: 'Connections to object storage, as the machines see them: throughput, latency, reliability.',
    variables: [
      prefix(),
      host(CONNECTIONS),
      clusters(CONNECTIONS),
      nodes(CONNECTIONS),
      several('endpoint', 'Endpoint', CONNECTIONS, 'endpoint'),
    ],
    sections: [
      {
        panels: [
          byEndpoint('Received', 'Read from object storage.', 'Bps', 'bytes_recv_total'),
          byEndpoint('Sent', 'Written to object storage. Bursts are mostly checkpoints.', 'Bps', 'bytes_sent_total'),
          byEndpoint('Connections', 'Connections made in a second.', 'suffix: conn/s', 'connections_total'),
          quantiles,
          retransmits,
          slowest,
        ],
      },
    ],
  });
