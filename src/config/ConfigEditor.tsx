import React, { Fragment, type ComponentType } from 'react';
import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { DataSourceDescription } from '@grafana/plugin-ui';
import { Divider, useStyles2 } from '@grafana/ui';
import { docsUrl } from '../help/DocsLink';
import pluginJson from '../plugin.json';
import { AdvancedSection } from './AdvancedSection';
import { ArchiveSection } from './ArchiveSection';
import { ConnectionSection } from './ConnectionSection';
import { FineTuningSection } from './FineTuningSection';
import { MainApiSection } from './MainApiSection';
import { MetricsSection } from './MetricsSection';
import { PricesSection } from './PricesSection';
import type { SectionProps } from './section';
import { TestResults } from './TestResults';
import { useTestResult } from './healthResult';
import { TestedContext } from './useVisited';

/** The form, top to bottom. A section is a file and a line here. */
const SECTIONS: Array<ComponentType<SectionProps>> = [
  ConnectionSection,
  MetricsSection,
  FineTuningSection,
  MainApiSection,
  PricesSection,
  ArchiveSection,
  AdvancedSection,
];

/** The page on which an admin connects Grafana to the platform. */
export function ConfigEditor(props: SectionProps) {
  const styles = useStyles2(getStyles);
  const tested = useTestResult(props.options.uid);
  const section: SectionProps = {
    options: props.options,
    // Grafana forwards requests that match no route to the top-level address, unchecked. Hence it stays empty.
    onOptionsChange: (options) => props.onOptionsChange({ ...options, url: '' }),
  };

  return (
    <TestedContext.Provider value={tested !== undefined}>
      <div className={styles.form}>
        <DataSourceDescription dataSourceName={pluginJson.name} docsLink={docsUrl('settings')} />
        {SECTIONS.map((Section, index) => (
          <Fragment key={index}>
            <Divider />
            <Section {...section} />
          </Fragment>
        ))}
        {tested && <TestResults services={tested} provisioned={Boolean(props.options.readOnly)} />}
      </div>
    </TestedContext.Provider>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  form: css({ maxWidth: theme.breakpoints.values.md }),
});
