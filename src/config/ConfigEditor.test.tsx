import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderEditor } from '../testing/configEditor';
import { createDataSource, fakeGrafana } from '../testing/grafana';

const baseAddress = () => screen.getByLabelText(/^base address/i);
const projectId = () => screen.getByLabelText(/^project id/i);
const metricsAddress = () => screen.getByLabelText(/^full metrics address/i);
const token = () => screen.getByLabelText(/^monitoring token/i);

/** Puts a text into a field as people do with addresses. A form that is drawn again for each key takes seconds. */
async function paste(field: HTMLElement, text: string) {
  await userEvent.click(field);
  await userEvent.paste(text);
}

describe('what is typed', () => {
  it('is saved under the settings’ names, with the token apart and encrypted', async () => {
    const saved = renderEditor();

    await userEvent.type(baseAddress(), 'https://api.example.com');
    await userEvent.type(projectId(), 'proj-1234');
    await userEvent.type(token(), 'secret$1');
    await userEvent.type(metricsAddress(), 'https://metrics.example.com/base');

    expect(saved().jsonData).toEqual({
      baseUrl: 'https://api.example.com',
      projectId: 'proj-1234',
      metricsUrl: 'https://metrics.example.com/base',
    });
    expect(saved().secureJsonData).toEqual({ monitoringToken: 'secret$1' });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('never fills the top-level address, which Grafana would forward stray requests to', async () => {
    const saved = renderEditor({ url: 'https://left-over.example.com' });

    await userEvent.type(baseAddress(), 'https://api.example.com');

    expect(saved().url).toBe('');
  });

  it('stays on screen while it is wrong', async () => {
    const saved = renderEditor();

    await userEvent.type(baseAddress(), 'api.example.com/v1');

    expect(baseAddress()).toHaveValue('api.example.com/v1');
    expect(saved().jsonData.baseUrl).toBe('api.example.com/v1');
  });

  it('may be a project id that provisioning turned into a number', () => {
    renderEditor({ jsonData: { projectId: 1234 } });
    expect(projectId()).toHaveValue('1234');
  });

  it('cannot be changed when the data source is provisioned', () => {
    renderEditor({ readOnly: true });
    for (const field of [baseAddress(), projectId(), token(), metricsAddress()]) {
      expect(field).toBeDisabled();
    }
  });
});

describe('an error beside the field', () => {
  it('is not shown on a form that nobody has touched', () => {
    renderEditor();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it.each([
    ['api.example.com', /starts with https:\/\/ or http:\/\//],
    ['ftp://api.example.com', /starts with https:\/\/ or http:\/\//],
    ['https:/api.example.com', /starts with https:\/\/ or http:\/\//],
    ['https://', /starts with https:\/\/ or http:\/\//],
    ['https://api.example .com', /starts with https:\/\/ or http:\/\//],
    ['https://me:pass@api.example.com', /user name and password/],
    ['https://api.example.com?x=1', /question mark/],
    ['https://api.example.com//other.example.com', /one of two slashes/],
    ['https://api.example.com/base//other', /one of two slashes/],
  ])('says what is wrong with the base address %p', async (address, message) => {
    renderEditor();
    await paste(baseAddress(), address);
    expect(screen.getByRole('alert')).toHaveTextContent(message);
  });

  it.each([
    'https://api.example.com',
    'https://api.example.com/',
    'http://127.0.0.1:9400',
    'https://x.example.com/v12',
    ' https://api.example.com ',
    'https://api.example.com/v1',
  ])('is not shown for the base address %p', async (address) => {
    renderEditor();
    await paste(baseAddress(), address);
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it.each([
    ['https://api.example.com/base/api/v1/query_range', /leave out \/api\/v1/i],
    ['https://api.example.com/base/api/v1', /leave out \/api\/v1/i],
    ['metrics', /starts with https:\/\/ or http:\/\//],
  ])('says what is wrong with the full metrics address %p', async (address, message) => {
    renderEditor();
    await paste(metricsAddress(), address);
    expect(screen.getByRole('alert')).toHaveTextContent(message);
  });

  it.each(['Bearer abc', 'bearer abc ', ' Bearer  abc'])('takes “Bearer” off the token %p', async (typed) => {
    const saved = renderEditor();
    await userEvent.type(token(), typed);
    await userEvent.tab();
    expect(saved().secureJsonData?.monitoringToken).toBe('abc');
  });

  it.each([
    ['projects/proj-1234', /no slashes/],
    ['proj 1234', /no spaces/],
    [' ', /no spaces/],
  ])('says what is wrong with the project id %p', async (typed, message) => {
    renderEditor();
    await userEvent.type(projectId(), typed);
    expect(screen.getByRole('alert')).toHaveTextContent(message);
  });

  it('does not require address and project when the metrics have a full address of their own', () => {
    renderEditor({ jsonData: { metricsUrl: 'https://metrics.example.com/base' } });

    expect(baseAddress()).not.toBeRequired();
    expect(projectId()).not.toBeRequired();
    expect(screen.getByText('Monitoring token *')).toBeInTheDocument();
  });
});

describe('once a field is left', () => {
  it.each([
    'https://api.example.com/v1',
    'https://api.example.com/v1/',
    'https://api.example.com/v1/v1',
    'https://api.example.com//',
    '  https://api.example.com ',
    ' https://api.example.com/v1/ ',
  ])('what was pasted too much of the base address “%s” is taken off', async (pasted) => {
    const saved = renderEditor();
    await paste(baseAddress(), pasted);
    expect(saved().jsonData.baseUrl).toBe(pasted);
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();

    await userEvent.tab();

    expect(saved().jsonData.baseUrl).toBe('https://api.example.com');
  });

  it('spaces around ids and secrets are taken off', async () => {
    const saved = renderEditor();
    await userEvent.type(projectId(), ' proj-1 ');
    await userEvent.type(token(), ' secret ');
    await userEvent.tab();

    expect(saved().jsonData.projectId).toBe('proj-1');
    expect(saved().secureJsonData).toEqual({ monitoringToken: 'secret' });
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
    expect(shown.message).toBe('Fine-tuning: The platform refused the inference API key (401).');
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

describe('a saved token', () => {
  it('is shown as configured, and can be replaced', async () => {
    const saved = renderEditor({ secureJsonFields: { monitoringToken: true } });
    expect(token()).toBeDisabled();
    expect(token()).toHaveValue('configured');

    await userEvent.click(screen.getByRole('button', { name: /reset/i }));
    expect(saved().secureJsonFields.monitoringToken).toBe(false);
    expect(saved().secureJsonData).toEqual({ monitoringToken: '' });

    await userEvent.type(token(), 'new');
    expect(saved().secureJsonData).toEqual({ monitoringToken: 'new' });
  });

  it('is left as it is when something else changes', async () => {
    const saved = renderEditor({ secureJsonFields: { monitoringToken: true } });

    await userEvent.type(baseAddress(), 'https://api.example.com');

    expect(saved().secureJsonFields).toEqual({ monitoringToken: true });
    expect(saved().secureJsonData?.monitoringToken).toBeUndefined();
  });
});

describe('the fine-tuning section', () => {
  const gateway = () => screen.getByLabelText(/^gateway address/i);
  const key = () => screen.getByLabelText(/^inference api key/i);
  const consoleAddress = () => screen.getByLabelText(/^console address/i);

  it('is saved under the settings’ names, with the key apart and encrypted', async () => {
    const saved = renderEditor();

    await userEvent.type(gateway(), 'https://intelligence.example.com');
    await userEvent.type(key(), 'secret$1');
    await userEvent.type(consoleAddress(), 'https://console.example.com/{{projectId}/{{jobId}/{{checkpointId}');

    expect(saved().jsonData).toEqual({
      intelligenceUrl: 'https://intelligence.example.com',
      consoleUrl: 'https://console.example.com/{projectId}/{jobId}/{checkpointId}',
    });
    expect(saved().secureJsonData).toEqual({ inferenceApiKey: 'secret$1' });
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('says that it is optional, and not configured as long as it is not', async () => {
    renderEditor();
    expect(screen.getByText(/^Optional: jobs.*Not configured\.$/)).toBeInTheDocument();

    await userEvent.type(gateway(), 'h');

    expect(screen.queryByText(/^Optional: jobs.*Not configured\./)).not.toBeInTheDocument();
  });

  it.each([
    'https://intelligence.example.com/v1',
    'https://intelligence.example.com/v1/',
    'https://intelligence.example.com/',
  ])('takes off what was pasted too much of %s, once the field is left', async (pasted) => {
    const saved = renderEditor();
    await paste(gateway(), pasted);
    expect(saved().jsonData.intelligenceUrl).toBe(pasted);

    await userEvent.tab();

    expect(saved().jsonData.intelligenceUrl).toBe('https://intelligence.example.com');
  });

  it('requires the key once there is an address', () => {
    renderEditor({ jsonData: { intelligenceUrl: 'https://intelligence.example.com' } });
    expect(screen.getByText('Inference API key *')).toBeInTheDocument();
  });

  it.each([
    ['console.example.com', /starts with https:\/\/ or http:\/\//],
    ['https://console.example.com/{{job}', /\{job\} is not known\. Use \{projectId\}/],
  ])('says what is wrong with the console address %p', async (typed, message) => {
    renderEditor();
    await userEvent.type(consoleAddress(), typed);
    expect(screen.getByRole('alert')).toHaveTextContent(message);
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
