import React from 'react';
import { ConfigSection, ConfigSubSection } from '@grafana/plugin-ui';
import { Stack } from '@grafana/ui';
import { t, translated } from '../i18n';
import type { SectionProps } from './section';
import { SettingFields, type Setting } from './SettingFields';

export interface SettingsSection {
  title: string;
  description?: string;
  fields: readonly Setting[];
  groups?: Array<{ title: string; fields: readonly Setting[] }>;
  /** Whether the fields are needed that are marked as required. They are if it is missing. */
  isUsed?: (options: SectionProps['options']) => boolean;
  /** The rest works without it, which is said as long as it is not used. */
  isOptional?: boolean;
  /** Whether it is folded at first. It can't be if it is missing. */
  isFolded?: (options: SectionProps['options']) => boolean;
}

export function Section({ section, ...props }: SectionProps & { section: SettingsSection }) {
  const { title, description, fields, groups = [], isOptional, isFolded } = translated(section);
  const isUsed = section.isUsed?.(props.options) ?? true;
  return (
    <ConfigSection
      title={title}
      description={isOptional && !isUsed ? `${description} ${t('Not configured.')}` : description}
      isCollapsible={isFolded !== undefined}
      isInitiallyOpen={!isFolded?.(props.options)}
    >
      <SettingFields {...props} fields={fields} isUsed={isUsed} />
      <Stack direction="column" gap={3}>
        {groups.map(translated).map((group) => (
          <ConfigSubSection key={group.title} title={group.title}>
            <SettingFields {...props} fields={group.fields} />
          </ConfigSubSection>
        ))}
      </Stack>
    </ConfigSection>
  );
}
