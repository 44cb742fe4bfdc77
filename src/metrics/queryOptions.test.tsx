import React, { useState } from 'react';
import { CoreApp } from '@grafana/data';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { promql } from '../testing/grafana';
import type { MetricsQuery } from '../types';
import { PromQueryBuilderOptions } from './queryOptions';

/** Shows the options as the editor does, which keeps changes, and returns a look at the query and how often it ran. */
function renderOptions(saved: MetricsQuery) {
  const seen = { query: saved, runs: 0 };
  function Editor() {
    const [query, setQuery] = useState(saved);
    const onChange = (changed: MetricsQuery) => {
      seen.query = changed;
      setQuery(changed);
    };
    return (
      <PromQueryBuilderOptions
        query={query}
        app={CoreApp.PanelEditor}
        onChange={onChange}
        onRunQuery={() => seen.runs++}
      />
    );
  }
  render(<Editor />);
  return seen;
}

const bypass = () => screen.getByRole('switch', { name: 'Bypass the cache' });

it('bypasses the cache from one click to the next, and runs the query anew', async () => {
  const saved = { refId: 'A', expr: 'up' };
  const seen = renderOptions(saved);
  expect(bypass()).not.toBeChecked();

  await userEvent.click(bypass());
  expect(bypass()).toBeChecked();
  expect(seen).toEqual({ query: { ...saved, noCache: true }, runs: 1 });

  await userEvent.click(bypass());
  expect(seen).toEqual({ query: saved, runs: 2 });
});

it('shows what is saved', () => {
  renderOptions({ refId: 'A', expr: 'up', noCache: true });
  expect(bypass()).toBeChecked();
});

it.each([
  [CoreApp.PanelEditor, true],
  [CoreApp.UnifiedAlerting, false],
])('in %s offers a format: %s', (app, isOffered) => {
  render(<PromQueryBuilderOptions app={app} query={promql({})} onChange={() => {}} onRunQuery={() => {}} />);

  expect(screen.getByText(/Type: Range/)).toBeInTheDocument();
  expect(Boolean(screen.queryByText(/Format: Time series/))).toBe(isOffered);
});
