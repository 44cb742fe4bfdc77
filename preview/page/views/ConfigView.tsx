import React, { useState } from 'react';
import { Alert, Button } from '@grafana/ui';
import { type DataSource, type Plugin, saveSettings, type Settings } from '../plugin/loadPlugin';
import { Editor } from './Editor';

interface Props {
  plugin: Plugin;
  saved: Settings;
  /** Makes a data source of settings that were saved. */
  onSaved: (settings: Settings) => DataSource;
}

interface TestResult {
  status: 'success' | 'error';
  message: string;
}

/** The data source's settings page, with the plugin's own editor on it. */
export function ConfigView({ plugin, saved, onSaved }: Props) {
  const [draft, setDraft] = useState(saved);
  const [result, setResult] = useState<TestResult>();
  const ConfigEditor = plugin.components.ConfigEditor!;

  const saveAndTest = async () => {
    try {
      const settings = await saveSettings(draft);
      setDraft(settings);
      const { message } = await onSaved(settings).testDatasource();
      setResult({ status: 'success', message });
    } catch (failure) {
      // The draft stays as it is, so nothing that was typed is lost.
      const { data, error } = failure as { data?: Error; error?: Error };
      setResult({ status: 'error', message: (error ?? data ?? (failure as Error)).message });
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setResult(undefined);
        void saveAndTest();
      }}
    >
      <Editor label="Settings">
        <ConfigEditor options={draft} onOptionsChange={setDraft} />
      </Editor>
      {result && <Alert severity={result.status} title={result.message} />}
      <Button type="submit">Save &amp; test</Button>
    </form>
  );
}
