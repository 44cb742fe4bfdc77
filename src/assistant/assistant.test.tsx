import React, { type PropsWithChildren } from 'react';
import { act, renderHook, waitFor } from '@testing-library/react';
import { of } from 'rxjs';
import { useQuestions, usePageContext } from '@grafana/assistant';
import { getObservablePluginLinks, locationService, LocationServiceProvider } from '@grafana/runtime';
import { CONFIGURED, createDataSource, fakeGrafana, UID } from '../testing/grafana';

jest.mock('@grafana/runtime', () => ({
  ...jest.requireActual<object>('@grafana/runtime'),
  getObservablePluginLinks: jest.fn(),
}));

const ASSISTANT = { pluginId: 'grafana-assistant-app', title: 'Grafana Assistant' };

/** What the assistant sees on a page, after the data source was made in a Grafana whose plugins add these links. */
function open(path: string, links: object[], settings = CONFIGURED) {
  jest.mocked(getObservablePluginLinks).mockReturnValue(of(links) as never);
  fakeGrafana();
  createDataSource(settings);
  act(() => locationService.push(path));
  const wrapper = ({ children }: PropsWithChildren) => (
    <LocationServiceProvider service={locationService}>{children}</LocationServiceProvider>
  );
  return renderHook(() => ({ context: usePageContext(), questions: useQuestions() }), { wrapper }).result;
}

it('says nothing where there is no assistant', async () => {
  const seen = open('/explore', [{ pluginId: 'another-app', title: 'Other' }]);
  await act(async () => {});
  expect(seen.current).toEqual({ context: [], questions: [] });
});

it('tells the assistant how to query it, and what to begin with, once and only on pages of its own', async () => {
  const seen = open('/explore', [ASSISTANT]);
  await waitFor(() => expect(seen.current.questions).toHaveLength(5));
  expect(seen.current.context).toHaveLength(1);
  const { data } = seen.current.context[0].node.data.formatForLLM();
  expect(data.dataSource).toMatchObject({ uid: UID, type: 'gpucloud-platform-datasource' });
  expect(data.examples).toContainEqual({
    of: expect.stringContaining('Where 64 GPUs can run now'),
    query: { queryType: 'placement', gpus: '64' },
  });

  expect(open('/d/gpucloud-jobs/jobs', [ASSISTANT]).current.questions).toHaveLength(5);
  expect(open('/d/of-others/weather', [ASSISTANT]).current).toEqual({ context: [], questions: [] });
});
