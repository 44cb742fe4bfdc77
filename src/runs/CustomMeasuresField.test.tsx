import React from 'react';
import { render, screen } from '@testing-library/react';
import { CustomMeasuresField } from './CustomMeasuresField';

const IN_USE = 'A measure has this name. Choose another.';

it.each([
  ['of a measure of the catalog', ['gpu_hours '], IN_USE],
  ['of one above', ['heat', ' heat'], IN_USE],
  [
    'of a difference to a baseline',
    ['heat_difference'],
    'Columns of a comparison with a baseline end in _difference. Choose another name.',
  ],
])('says why an own measure can’t have the name %s', (_, names, reason) => {
  render(<CustomMeasuresField value={names.map((name) => ({ name, expr: 'vector(1)' }))} onChange={() => {}} />);

  expect(screen.getByText(reason)).toBeInTheDocument();
});

it('takes two names that differ', () => {
  const value = ['heat', 'cold'].map((name) => ({ name, expr: 'vector(1)' }));
  render(<CustomMeasuresField value={value} onChange={() => {}} />);

  expect(screen.queryByText(/Choose another/)).not.toBeInTheDocument();
});
