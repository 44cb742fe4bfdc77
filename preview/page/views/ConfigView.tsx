import React, { useState } from 'react';
import { Alert, Button, Field, Input, Stack } from '@grafana/ui';
import {
  createDataSource,
  type DataSource,
  type LoadedPlugin,
  saveSettings,
  type Settings,
} from '../plugin/loadPlugin';
import { type TestResult, testDataSource } from '../data/testDataSource';
import { Lazy } from '../components/Lazy';

interface Props {
  loaded: LoadedPlugin;
  saved: Settings;
  onSaved: (settings: Settings, datasource: DataSource) => void;
}

/** The data source's settings page, with the plugin's own editor on it. */
export function ConfigView({ loaded, saved, onSaved }: Props) {
  const [draft, setDraft] = useState(saved);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<TestResult>();
  const { ConfigEditor } = loaded.plugin.components;

  const saveAndTest = async () => {
    setBusy(true);
    setResult(undefined);
    try {
      const settings = await saveSettings(draft);
      const datasource = createDataSource(loaded, settings);
      setDraft(settings);
      onSaved(settings, datasource);
      setResult(await testDataSource(datasource));
    } catch {
      // Saving failed and has said why; the draft stays as it is, so nothing that was typed is lost.
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void saveAndTest();
      }}
    >
      <Stack direction="column" gap={2}>
        <Field label="Name" htmlFor="data-source-name" noMargin>
          <Input
            id="data-source-name"
            width={40}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
        </Field>
        {ConfigEditor && (
          <Lazy>
            <ConfigEditor options={draft} onOptionsChange={setDraft} />
          </Lazy>
        )}
        {result && <TestStatus result={result} />}
        <div>
          <Button type="submit" icon={busy ? 'spinner' : undefined} disabled={busy}>
            Save &amp; test
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function TestStatus({ result }: { result: TestResult }) {
  return (
    <Alert severity={result.status} title={result.message} aria-live="polite">
      {result.details}
    </Alert>
  );
}
