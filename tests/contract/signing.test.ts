// The signature of the main API, written a second time from the specification, so that no single misreading of it can
// pass: against the vectors that the backend is tested with, and against the simulator, which has a third.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { buildSimulator, simulatorBinary } from '../../scripts/lib/builds.mjs';
import { startService } from '../../scripts/lib/service.mjs';

type Parameters = Array<[name: string, value: string]>;

/** What is signed. The timestamp is RFC 3339 in seconds and UTC, exactly as its header says it. */
interface Signed {
  path: string;
  query: string;
  verb: string;
  timestamp: string;
}

/** Form encoding: a space is `+`, and of the marks only `-`, `.`, `_` and `~` stay as they are. */
function formEncode(text: string): string {
  const asHex = (mark: string) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, asHex)
    .replaceAll('%20', '+');
}

/** Parameters sorted by the bytes of their names; those of one name stay in their order. */
function canonicalQuery(parameters: Parameters): string {
  return parameters
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`)
    .join('&');
}

function sign(secretKey: string, { path, query, verb, timestamp }: Signed): string {
  const payload = `${path}\n${query}\n${verb}\n${timestamp}\n`;
  return createHmac('sha256', Buffer.from(secretKey, 'base64url')).update(payload).digest('base64url');
}

interface Vector {
  name: string;
  path: string;
  query: Parameters;
  canonical_query: string;
  verb: string;
  timestamp: string;
  signature: string;
}

const vectorFile = new URL('../../pkg/mainapi/testdata/signing-vectors.json', import.meta.url);
const { secret_key: vectorSecret, vectors }: { secret_key: string; vectors: Vector[] } = JSON.parse(
  readFileSync(vectorFile, 'utf8')
);

describe('the signing vectors', () => {
  assert.notEqual(vectors.length, 0);
  for (const vector of vectors) {
    it(`agree: ${vector.name}`, () => {
      const { path, verb, timestamp, signature } = vector;
      const query = canonicalQuery(vector.query);
      assert.equal(query, vector.canonical_query);
      assert.equal(sign(vectorSecret, { path, query, verb, timestamp }), signature);
    });
  }
});

describe('the simulated main API', () => {
  let simulator: Awaited<ReturnType<typeof startService>>;

  before(async () => {
    await buildSimulator();
    simulator = await startService('The simulator', simulatorBinary, ['-listen', '127.0.0.1:0']);
  });
  after(() => simulator?.stop());

  /** The time of a request, some seconds later. */
  type Clock = (offset?: number) => string;

  /** All times of a request are of the moment at which it is made, however long the tests before it took. */
  const clock = (): Clock => {
    const now = Date.now();
    return (offset = 0) => new Date(now + offset * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  };

  interface Attempt extends Partial<Signed> {
    parameters?: Parameters;
    /** What is sent in place of what was signed. */
    sent?: Partial<Signed>;
    version?: string;
    accessKeyId?: string;
    secretKey?: string;
  }

  async function send(of: (time: Clock) => Attempt = () => ({})) {
    const time = clock();
    const { parameters = [], sent = {}, version = '1.0', ...attempt } = of(time);
    const { address, accessKeyId, secretKey } = simulator.ready;
    const signed: Signed = {
      path: attempt.path ?? '/v1/capacities',
      query: attempt.query ?? canonicalQuery(parameters),
      verb: attempt.verb ?? 'GET',
      timestamp: attempt.timestamp ?? time(),
    };
    const { path, query, verb, timestamp } = { ...signed, ...sent };
    const signature = sign(attempt.secretKey ?? secretKey, signed);
    const response = await fetch(`${address}${path}${query && `?${query}`}`, {
      method: verb,
      headers: {
        Authorization: `Bearer ${version}:${attempt.accessKeyId ?? accessKeyId}:${signature}`,
        'X-Vendor-Timestamp': timestamp,
      },
    });
    return { status: response.status, body: await response.json() };
  }

  it('accepts a request without parameters', async () => {
    const { status, body } = await send();
    assert.equal(status, 200);
    assert.ok(body.items.length > 0);
  });

  const accepted: Record<string, (time: Clock) => Attempt> = {
    'parameters that have to be sorted and encoded': () => ({
      parameters: [
        ['product_name', 'a100.1x,a100.2x'],
        ['location', 'us-east1-a'],
      ],
    }),
    'a repeated name and a blank value': () => ({
      path: '/v1/compute/vms/instances',
      parameters: [
        ['tag', 'b'],
        ['limit', ''],
        ['tag', 'a'],
      ],
    }),
    'colons in times': (time) => ({
      path: '/v1/organizations/org-demo/audit-logs',
      parameters: [
        ['start_time', time(-3600)],
        ['end_time', time()],
      ],
    }),
    'marks, umlauts and symbols': () => ({
      parameters: [
        ['q', "eu süd 1 -._~!'()*+&=%/?#"],
        ['ä', '😀'],
        ['z', '1'],
      ],
    }),
    'an offset of zero': (time) => ({ timestamp: time().replace('Z', '+00:00') }),
    'a clock that is four minutes behind': (time) => ({ timestamp: time(-240) }),
    'a clock that is four minutes ahead': (time) => ({ timestamp: time(240) }),
  };
  for (const [name, attempt] of Object.entries(accepted)) {
    it(`accepts ${name}`, async () => {
      const { status, body } = await send(attempt);
      assert.equal(status, 200, JSON.stringify(body));
    });
  }

  it('takes every verb into the signature', async () => {
    for (const verb of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      assert.equal((await send(() => ({ verb }))).status, 405, verb);
    }
    assert.equal((await send(() => ({ verb: 'DEL', sent: { verb: 'DELETE' } }))).status, 401);
  });

  // With what the platform says.
  const refused: Record<string, [RegExp, (time: Clock) => Attempt]> = {
    'another secret key': [/does not match/, () => ({ secretKey: 'b3RoZXI' })],
    'another access key': [/access key is not known/, () => ({ accessKeyId: 'OTHER' })],
    'another version of the scheme': [/version is not supported/, () => ({ version: '2.0' })],
    'another path than was signed': [/does not match/, () => ({ sent: { path: '/v1/quotas' } })],
    'a query that was not signed': [/does not match/, () => ({ sent: { query: 'location=us-east1-a' } })],
    'a query in another order': [/canonical/, () => ({ query: 'product_name=b&location=a' })],
    'a query with a bare comma': [/canonical/, () => ({ query: 'product_name=a,b' })],
    'a space that is written %20': [/canonical/, () => ({ query: 'q=a%20b' })],
    'another timestamp than was signed': [/does not match/, (time) => ({ sent: { timestamp: time(5) } })],
    'fractions of a second': [/in seconds, in UTC/, (time) => ({ timestamp: time().replace('Z', '.123Z') })],
    'another time zone': [/in seconds, in UTC/, (time) => ({ timestamp: time(7200).replace('Z', '+02:00') })],
    'a clock that is six minutes behind': [/too far/, (time) => ({ timestamp: time(-360) })],
    'a clock that is six minutes ahead': [/too far/, (time) => ({ timestamp: time(360) })],
  };
  for (const [name, [message, attempt]] of Object.entries(refused)) {
    it(`refuses ${name}`, async () => {
      const { status, body } = await send(attempt);
      assert.equal(status, 401);
      assert.equal(body.code, 'bad_credential');
      assert.match(body.message, message);
    });
  }
});
