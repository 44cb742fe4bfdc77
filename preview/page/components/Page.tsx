import React, { useCallback, useState } from 'react';
import { css } from '@emotion/css';
import { useHash } from 'react-use';
import { type AnnotationQuery, CoreApp, type GrafanaTheme2 } from '@grafana/data';
import { config } from '@grafana/runtime';
import { Icon, IconButton, Stack, Tab, TabContent, TabsBar, Text, useStyles2 } from '@grafana/ui';
import { OpenQuery } from '../data/links';
import { initialAnnotation } from '../data/useAnnotation';
import { type DataSource, type Query, type Ready, type Settings } from '../plugin/loadPlugin';
import { AnnotationView } from '../views/AnnotationView';
import { ConfigView } from '../views/ConfigView';
import { PanelView } from '../views/PanelView';
import { QueryView } from '../views/QueryView';
import { VariableView } from '../views/VariableView';

const tabs = [
  { route: 'panel', label: 'Panel', icon: 'apps' },
  { route: 'query', label: 'Query', icon: 'compass' },
  { route: 'annotation', label: 'Annotation', icon: 'comment-alt' },
  { route: 'variable', label: 'Variable', icon: 'list-ul' },
  { route: 'config', label: 'Settings', icon: 'sliders-v-alt' },
] as const;

interface Props extends Ready {
  onSaved: (settings: Settings, datasource: DataSource) => void;
}

/** The preview's one page: a banner that says what it is, the data source's name, and its views. */
export function Page({ loaded, settings, datasource, onSaved }: Props) {
  const styles = useStyles2(getStyles);
  // The address names it, as `#/config`; or it is the first one.
  const [hash] = useHash();
  const { route } = tabs.find((tab) => hash === `#/${tab.route}`) ?? tabs[0];
  const [query, setQuery] = useState<Query>(() => ({
    ...datasource.getDefaultQuery?.(CoreApp.Explore),
    refId: 'A',
    datasource: datasource.getRef(),
  }));
  const [annotation, setAnnotation] = useState<AnnotationQuery<Query>>(initialAnnotation);
  const [variable, setVariable] = useState<Query>({ refId: 'Variable', queryType: 'fineTuningJobs' });
  const openQuery = useCallback((next: Query) => {
    setQuery(next);
    window.location.hash = '#/query';
  }, []);

  return (
    <OpenQuery.Provider value={openQuery}>
      <div className={styles.banner} role="note">
        <Icon name="info-circle" />
        <span>
          <strong>Preview:</strong> stands in for Grafana. The editors and the backend are the plugin&rsquo;s own; the
          page around them is not Grafana.
        </span>
      </div>
      <div className={styles.page}>
        <Stack justifyContent="space-between" alignItems="center">
          <Stack alignItems="center" gap={2}>
            <img className={styles.logo} src={loaded.meta.info.logos.small} alt="" />
            <div>
              <Text element="h1" variant="h3">
                {settings.name}
              </Text>
              <Text color="secondary" variant="bodySmall">
                Type: {loaded.meta.name}
              </Text>
            </div>
          </Stack>
          <ThemeSwitch />
        </Stack>
        <TabsBar className={styles.tabs}>
          {tabs.map((tab) => (
            <Tab
              key={tab.route}
              label={tab.label}
              icon={tab.icon}
              href={`#/${tab.route}`}
              active={tab.route === route}
            />
          ))}
        </TabsBar>
        <TabContent className={styles.content}>
          {route === 'panel' && <PanelView datasource={datasource} annotation={annotation} />}
          {route === 'query' && (
            <QueryView plugin={loaded.plugin} datasource={datasource} query={query} onChange={setQuery} />
          )}
          {route === 'annotation' && (
            <AnnotationView datasource={datasource} annotation={annotation} onChange={setAnnotation} />
          )}
          {route === 'variable' && <VariableView datasource={datasource} query={variable} onChange={setVariable} />}
          {route === 'config' && <ConfigView loaded={loaded} saved={settings} onSaved={onSaved} />}
        </TabContent>
      </div>
    </OpenQuery.Provider>
  );
}

/** The theme is fixed when Grafana's libraries load, so another one is another load of the page. */
function ThemeSwitch() {
  const other = config.theme2.isDark ? 'light' : 'dark';
  return (
    <IconButton
      name="palette"
      size="lg"
      tooltip={`Switch to the ${other} theme`}
      onClick={() => {
        const address = new URL(window.location.href);
        address.searchParams.set('theme', other);
        window.location.assign(address);
      }}
    />
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  banner: css({
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    gap: theme.spacing(1),
    padding: theme.spacing(0.75, 2),
    background: theme.colors.info.transparent,
    borderBottom: `1px solid ${theme.colors.info.border}`,
    color: theme.colors.info.text,
  }),
  page: css({
    display: 'flex',
    flexDirection: 'column',
    gap: theme.spacing(2),
    maxWidth: theme.breakpoints.values.xxl,
    margin: '0 auto',
    padding: theme.spacing(3),
  }),
  tabs: css({ overflowX: 'auto', overflowY: 'hidden' }),
  content: css({ background: 'transparent' }),
  logo: css({ width: theme.spacing(5), height: theme.spacing(5) }),
});
