import React, { Fragment } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { DataSourceDescription } from '@grafana/plugin-ui';
import { Divider, useStyles2 } from '@grafana/ui';
import { docsUrl } from '../help/DocsLink';
import pluginJson from '../plugin.json';
import { ADVANCED } from './advanced';
import { ARCHIVE } from './archive';
import { PRICES } from './prices';
import type { SectionProps } from './section';
import { CONNECTION, FINE_TUNING, MAIN_API, METRICS } from './services';
import { Section } from './SettingsSection';
import { TestResults } from './TestResults';
import { useTestResult } from './healthResult';

const SECTIONS = [CONNECTION, METRICS, FINE_TUNING, MAIN_API, PRICES, ARCHIVE, ADVANCED];

/** The page on which an admin connects Grafana to the platform. */
export function ConfigEditor(props: SectionProps) {
  const styles = useStyles2(getStyles);
  const tested = useTestResult(props.options.uid);
  const form: SectionProps = {
    options: props.options,
    // Grafana forwards requests that match no route to the top-level address, unchecked. Hence it stays empty.
    onOptionsChange: (options) => props.onOptionsChange({ ...options, url: '' }),
  };

  return (
    <div className={styles.form}>
      <DataSourceDescription dataSourceName={pluginJson.name} docsLink={docsUrl('settings')} />
      {SECTIONS.map((section) => (
        <Fragment key={section.title}>
          <Divider />
          <Section {...form} section={section} />
        </Fragment>
      ))}
      {tested && <TestResults services={tested} provisioned={Boolean(props.options.readOnly)} />}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  form: css({ maxWidth: theme.breakpoints.values.md }),
});
