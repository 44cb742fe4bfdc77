import React from 'react';
import { Text, TextLink } from '@grafana/ui';
import pluginJson from '../plugin.json';

const DOCUMENTATION = pluginJson.info.links.find((link) => link.name === 'Documentation')?.url;

/** What this data source connects to, in a sentence. */
export function Introduction() {
  return (
    <Text element="p" color="secondary">
      This data source connects Grafana to your GPU cloud project and reads its metrics with PromQL. You need the
      platform&apos;s address, a project id and a monitoring token.
      {DOCUMENTATION && (
        <>
          {' '}
          <TextLink href={DOCUMENTATION} external inline>
            How to get them
          </TextLink>
        </>
      )}
    </Text>
  );
}
