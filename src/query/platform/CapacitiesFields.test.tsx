import React from 'react';
import { fireEvent, render, screen } from '@testing-library/react';
import type { OfferLists } from '../../platform/OfferLists';
import type { CapacitiesQuery } from '../../platform/query';
import { CapacitiesFields } from './CapacitiesFields';

jest.mock('@grafana/runtime', () => ({
  ...jest.requireActual('@grafana/runtime'),
  getTemplateSrv: () => ({ getVariables: () => [] }),
}));

const offers = {
  types: async () => [],
  locations: async () => [],
} as unknown as OfferLists;

const show = (query: CapacitiesQuery, onChange = jest.fn()) => {
  render(<CapacitiesFields query={query} onChange={onChange} offers={offers} app={undefined} />);
  return onChange;
};

describe('GPUs of each location', () => {
  it('has a field for how many GPUs are needed, which may be a variable', async () => {
    const onChange = show({ refId: 'A', queryType: 'capacities', format: 'gpus' });
    const field = await screen.findByLabelText(/GPUs needed/);
    fireEvent.change(field, { target: { value: '$gpus' } });
    fireEvent.blur(field);
    expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ gpusNeeded: '$gpus' }));
  });

  it('does not have it in other formats', async () => {
    show({ refId: 'A', queryType: 'capacities' });
    expect(await screen.findByLabelText('Format')).toBeInTheDocument();
    expect(screen.queryByLabelText(/GPUs needed/)).not.toBeInTheDocument();
  });
});
