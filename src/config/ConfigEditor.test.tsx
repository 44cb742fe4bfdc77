import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderEditor } from '../testing/configEditor';
import { createDataSource, fakeGrafana } from '../testing/grafana';
import { write } from '../testing/user';

const baseAddress = () => screen.getByLabelText(/^base address/i);
const projectId = () => screen.getByLabelText(/^project id/i);

it('never fills the top-level address, which Grafana would forward stray requests to', async () => {
  const saved = renderEditor({ url: 'https://left-over.example.com' });

  await write(baseAddress(), 'https://api.example.com');

  expect(saved().url).toBe('');
});

it('shows no error on a form that nobody has touched', () => {
  renderEditor();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

describe('what is required', () => {
  it('are no address and project when the metrics have a full address of their own', () => {
    renderEditor({ jsonData: { metricsUrl: 'https://metrics.example.com/base' } });

    expect(baseAddress()).not.toBeRequired();
    expect(projectId()).not.toBeRequired();
    expect(screen.getByText('Monitoring token *')).toBeInTheDocument();
  });

  it.each([
    [{ intelligenceUrl: 'https://intelligence.example.com' }, 'Inference API key *'],
    [{ accessKeyId: 'AK-EXAMPLE' }, 'Secret key *'],
  ])('is the credential of a service that is used: %p', (jsonData, marked) => {
    renderEditor({ jsonData });
    expect(screen.getByText(marked)).toBeInTheDocument();
  });
});

describe('Save & test', () => {
  const line = (service: string, more: object) => ({ service, ok: true, configured: true, message: 'ok.', ...more });

  /** Tests the settings as Grafana does, whose backend responds with these services, and returns what Grafana shows. */
  async function test(services: Array<{ ok: boolean; configured: boolean }>) {
    const fails = services.some(({ ok, configured }) => configured && !ok) || services.every(({ ok }) => !ok);
    const health = { status: fails ? 'ERROR' : 'OK', message: 'all in one line', details: { services } };
    fakeGrafana(() => health);
    return act(() =>
      createDataSource()
        .testDatasource()
        .catch((failure: { message: string }) => failure)
    );
  }

  it('has a line for each service, and names only those that failed in Grafana’s box', async () => {
    renderEditor();
    const shown = await test([
      line('Metrics', { message: 'a range query took 12 ms.' }),
      line('Fine-tuning', { ok: false, message: 'The platform refused the inference API key (401).', refused: true }),
      line('Main API', { ok: false, configured: false, message: 'not configured.' }),
    ]);

    const lines = within(screen.getByRole('list', { name: 'Test of the connection' })).getAllByRole('listitem');
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      '✓Metrics: a range query took 12 ms.',
      '✗Fine-tuning: The platform refused the inference API key (401).',
      '–Main API: not configured.',
    ]);
    expect(shown.message).toBe('Fine-tuning failed. The lines above say why.');
  });

  it('says what works when nothing fails', async () => {
    renderEditor();
    await expect(test([line('Metrics', {}), line('Main API', { ok: false, configured: false })])).resolves.toEqual({
      status: 'success',
      message: 'Connected: Metrics.',
    });
  });

  it('points to the lines when several services fail', async () => {
    renderEditor();
    const shown = await test([line('Metrics', { ok: false }), line('Fine-tuning', { ok: false })]);
    expect(shown.message).toBe('Metrics and Fine-tuning failed. The lines above say why.');
  });

  it('marks the required fields of a form with nothing filled in', async () => {
    renderEditor();
    const shown = await test([
      line('Metrics', { ok: false, configured: false }),
      line('Main API', { ok: false, configured: false }),
    ]);

    expect(shown.message).toBe('Nothing is set up yet. Fill in the marked fields.');
    for (const marked of ['Base address *', 'Project id *', 'Monitoring token *']) {
      expect(screen.getByText(marked)).toBeInTheDocument();
    }
  });

  it.each([true, false])('hints at $ in a refused credential only where it is provisioned: %s', async (readOnly) => {
    renderEditor({ readOnly });
    await test([line('Metrics', { ok: false, message: 'Refused.', refused: true })]);
    expect(screen.queryAllByText(/without braces, and written \$\$ in the file/)).toHaveLength(readOnly ? 1 : 0);
  });
});

it('says that a section is optional, and not configured as long as it is not', async () => {
  renderEditor();
  expect(screen.getByText(/^Optional: jobs.*Not configured\.$/)).toBeInTheDocument();

  await write(screen.getByLabelText(/^gateway address/i), 'h');

  expect(screen.queryByText(/^Optional: jobs.*Not configured\./)).not.toBeInTheDocument();
});

it('opens the archive where there is one', () => {
  renderEditor({ jsonData: { archive: { url: 'https://mimir.example.com' } } });
  expect(screen.getByLabelText(/^archive address/i)).toBeInTheDocument();
});

describe('the advanced settings', () => {
  const unfold = () => userEvent.click(screen.getByLabelText('Expand section Advanced'));

  it('are folded away at first, and leave out what the platform does not have', async () => {
    renderEditor();
    expect(screen.queryByText('HTTP method')).not.toBeInTheDocument();

    await unfold();

    expect(screen.getByText('HTTP method')).toBeInTheDocument();
    expect(
      screen.queryByText(
        /exemplars|manage alerts|basic authentication|^URL$|recording rules|search api|incremental|statistics|cache level/i
      )
    ).not.toBeInTheDocument();
  });

  it('include TLS and headers', async () => {
    const saved = renderEditor();
    await unfold();

    await userEvent.click(screen.getByLabelText(/skip tls certificate validation/i));

    expect(saved().jsonData).toMatchObject({ tlsSkipVerify: true });
    expect(screen.getByText('HTTP headers')).toBeInTheDocument();
  });
});

it('links to the documentation', () => {
  renderEditor();
  expect(screen.getByRole('link', { name: /view the documentation/i })).toHaveAttribute(
    'href',
    expect.stringMatching(/^https:.*\/docs\/configure\.md$/)
  );
});

it('has its sections in the order in which they are filled in', () => {
  renderEditor();
  const headings = screen.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent);
  expect(headings).toEqual(['Connection', 'Metrics', 'Fine-tuning', 'Main API', 'Prices', 'Archive', 'Advanced']);
  expect(within(document.body).getAllByText(/optional/i).length).toBeGreaterThan(0);
});
