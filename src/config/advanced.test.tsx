import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderEditor } from '../testing/configEditor';

describe('the advanced settings', () => {
  const unfold = () => userEvent.click(screen.getByLabelText('Expand section Advanced'));

  it('are folded away at first', async () => {
    renderEditor();
    expect(screen.queryByText('HTTP method')).not.toBeInTheDocument();

    await unfold();

    expect(screen.getByText('HTTP method')).toBeInTheDocument();
  });

  it('show the platform’s defaults, and save what is changed', async () => {
    const saved = renderEditor();
    await unfold();

    expect(screen.getByRole('radio', { name: 'GET' })).toBeChecked();
    const interval = screen.getByLabelText(/^scrape interval/i);
    expect(interval).toHaveAttribute('placeholder', '60s');
    expect(saved().jsonData).toEqual({});

    await userEvent.type(interval, '30s');
    await userEvent.type(screen.getByLabelText(/^custom query parameters/i), 'tenant=a');
    await userEvent.click(screen.getByRole('radio', { name: 'POST' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Code' }));
    await userEvent.click(screen.getByLabelText(/^disable metrics lookup/i));
    await userEvent.type(screen.getByLabelText(/^names to offer/i), '500');
    expect(saved().jsonData).toEqual({
      timeInterval: '30s',
      customQueryParameters: 'tenant=a',
      httpMethod: 'POST',
      defaultEditor: 'code',
      disableMetricsLookup: true,
      seriesLimit: 500,
    });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();

    await userEvent.type(screen.getByLabelText(/^query timeout/i), 'soon');
    expect(screen.getByRole('alert')).toHaveTextContent('Enter a time with a unit');
  });

  it('leave out what the platform does not have', async () => {
    renderEditor();
    await unfold();

    expect(screen.queryByText(/exemplars/i)).not.toBeInTheDocument();
    expect(screen.queryByText(/manage alerts/i)).not.toBeInTheDocument();
    expect(screen.queryByText(/basic authentication/i)).not.toBeInTheDocument();
    expect(screen.queryByText(/^URL$/)).not.toBeInTheDocument();
    expect(
      screen.queryByText(/recording rules|search api|incremental|statistics|cache level/i)
    ).not.toBeInTheDocument();
  });

  it('include TLS, headers and a timeout', async () => {
    const saved = renderEditor();
    await unfold();

    await userEvent.click(screen.getByLabelText(/skip tls certificate validation/i));
    await userEvent.type(screen.getByLabelText(/^http timeout/i), '45');

    expect(saved().jsonData).toMatchObject({ tlsSkipVerify: true, timeout: 45 });
    expect(screen.getByText('HTTP headers')).toBeInTheDocument();
  });

  it.each([
    ['512', 512, false],
    ['0.5', 0.5, false],
    ['0', 0, true],
    ['-1', -1, true],
  ])('limit responses to %s megabytes', async (typed, value, refused) => {
    const saved = renderEditor();
    await unfold();

    await userEvent.type(screen.getByLabelText(/^largest response/i), typed);

    expect(saved().jsonData.maxResponseMegabytes).toBe(value);
    expect(screen.queryAllByText(/number of megabytes, such as/)).toHaveLength(refused ? 1 : 0);
  });

  it('refuse a timeout of half a second, and keep what was typed', async () => {
    renderEditor();
    await unfold();
    const timeout = screen.getByLabelText(/^http timeout/i);

    await userEvent.type(timeout, '0.5');

    expect(timeout).toHaveValue(0.5);
    expect(screen.getByRole('alert')).toHaveTextContent(/whole number of seconds/);
  });
});
