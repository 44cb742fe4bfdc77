import React, { type ReactNode } from 'react';
import { Icon, Stack, Text } from '@grafana/ui';

interface Props {
  text: string;
  /** What can be done about it. */
  children?: ReactNode;
}

/** A line of information. */
export function Hint({ text, children }: Props) {
  return (
    <Stack alignItems="center" gap={1} wrap="wrap">
      <Stack alignItems="center" gap={1}>
        <Icon name="info-circle" />
        <Text color="secondary">{text}</Text>
      </Stack>
      {children}
    </Stack>
  );
}
