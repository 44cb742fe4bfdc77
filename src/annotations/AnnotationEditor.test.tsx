import React from 'react';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createDataSource, fakeGrafana } from '../testing/grafana';
import type { MetricsQuery } from '../types';

const target: MetricsQuery = { refId: 'Anno', expr: 'DCGM_FI_DEV_XID_ERRORS > 0' };

it('edits a PromQL annotation as Prometheus does', async () => {
  fakeGrafana(() => ({ status: 'success', data: [] }));
  const dataSource = createDataSource();
  const Editor = dataSource.annotations!.QueryEditor!;
  const annotation = { name: 'XID', enable: true, iconColor: 'red', target, titleFormat: 'XID' };
  const onAnnotationChange = jest.fn();

  render(
    <Editor
      datasource={dataSource}
      query={target}
      annotation={annotation}
      onAnnotationChange={onAnnotationChange}
      onChange={() => {}}
      onRunQuery={() => {}}
    />
  );
  await userEvent.type(await screen.findByPlaceholderText('{{alertname}}'), '!');

  expect(onAnnotationChange).toHaveBeenLastCalledWith({ ...annotation, titleFormat: 'XID!' });
});
