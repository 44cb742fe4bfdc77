import React, { useState } from 'react';
import { HealthCheckError } from '@grafana/runtime';
import { Alert, Button, Field, Input, Stack } from '@grafana/ui';
import {
  createDataSource,
  type DataSource,
  type LoadedPlugin,
  saveSettings,
  type Settings,
} from '../plugin/loadPlugin';
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
    } catch (failure) {
      // The draft stays as it is, so nothing that was typed is lost.
      setResult(failed(failure));
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
        {result && (
          <Alert severity={result.status} title={result.message} aria-live="polite">
            {result.details}
          </Alert>
        )}
        <div>
          <Button type="submit" icon={busy ? 'spinner' : undefined} disabled={busy}>
            Save &amp; test
          </Button>
        </div>
      </Stack>
    </form>
  );
}

interface TestResult {
  status: 'success' | 'error';
  message: string;
  /** A further sentence, where the data source has one. */
  details?: string;
}

/** Has the data source test itself, and reads the result as Grafana's settings page does. */
async function testDataSource(datasource: DataSource): Promise<TestResult> {
  const { status, message, details } = await datasource.testDatasource();
  return { status: status === 'error' ? 'error' : 'success', message, details: textOf(details?.message) };
}

function failed(failure: unknown): TestResult {
  const { message, error, data } = failure as { message?: string; error?: unknown; data?: { message?: string } };
  return error instanceof HealthCheckError
    ? { status: 'error', message: error.message, details: textOf(error.details?.message) }
    : { status: 'error', message: data?.message ?? message ?? 'The test failed.' };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
