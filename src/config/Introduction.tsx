import React from 'react';
import { Text } from '@grafana/ui';
import { DocsLink } from '../help/DocsLink';

/** What this data source connects to, in a sentence. */
export function Introduction() {
  return (
    <Text element="p" color="secondary">
      This data source connects Grafana to your GPU cloud project. It reads metrics with PromQL, for which it needs the
      platform&apos;s address, a project id and a monitoring token; fine-tuning jobs, for which it needs the
      gateway&apos;s address and an inference API key; and capacities and other lists, for which it needs the
      platform&apos;s address and an access key. Each works without the others. <DocsLink page="settings" />
    </Text>
  );
}
