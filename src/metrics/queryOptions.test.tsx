import React from 'react';
import { render, screen } from '@testing-library/react';
import { CoreApp } from '@grafana/data';
import { promql } from '../testing/grafana';
import { PromQueryBuilderOptions } from './queryOptions';

it.each([
  [CoreApp.PanelEditor, true],
  [CoreApp.UnifiedAlerting, false],
])('in %s offers a format: %s', (app, isOffered) => {
  render(<PromQueryBuilderOptions app={app} query={promql({})} onChange={() => {}} onRunQuery={() => {}} />);

  expect(screen.getByText(/Type: Range/)).toBeInTheDocument();
  expect(Boolean(screen.queryByText(/Format: Time series/))).toBe(isOffered);
});
