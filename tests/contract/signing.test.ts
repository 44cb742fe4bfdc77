// The signature of the main API, written a second time from the specification, so that no single misreading of it can
// pass: against the vectors that the backend is tested with.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

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
