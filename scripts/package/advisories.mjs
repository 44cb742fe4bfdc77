/**
 * The result of a lookup of vulnerabilities. It is `unavailable` if the service sent no result.
 *
 * @typedef {{ service: string, verdict: 'clean' | 'vulnerable' | 'outdated' | 'unavailable', detail: string }} Verdict
 * @typedef {{ code: number, stdout: string, output: string }} Result Of a command.
 */

/**
 * Reads the result of `npm audit --json`.
 *
 * @param {Result} result
 * @returns {Verdict}
 */
export function npmVerdict({ stdout, output }) {
  const service = 'npm audit';
  const report = parse(stdout);
  const counts = report?.metadata?.vulnerabilities;
  if (!counts) {
    const reason = report?.message ?? report?.error?.summary ?? lastLine(output);
    return {
      service,
      verdict: 'unavailable',
      detail: `not checked, the advisory service could not be reached (${reason})`,
    };
  }
  const names = Object.keys(report.vulnerabilities ?? {});
  return counts.total === 0
    ? { service, verdict: 'clean', detail: 'no known vulnerability in what is bundled' }
    : {
        service,
        verdict: 'vulnerable',
        detail: `${counts.total} known: ${names.join(', ')}. See npm audit --omit dev.`,
      };
}

/** govulncheck's exit code for vulnerabilities that the code reaches. */
const GO_VULNERABLE = 3;

/**
 * Reads the result of `govulncheck`.
 *
 * @param {Result} result
 * @returns {Verdict}
 */
export function goVerdict({ code, output }) {
  const service = 'govulncheck';
  if (code === 0) {
    return { service, verdict: 'clean', detail: 'no known vulnerability that the backend reaches' };
  }
  return code === GO_VULNERABLE
    ? { service, verdict: 'vulnerable', detail: output.trim() }
    : {
        service,
        verdict: 'unavailable',
        detail: `not checked, the advisory service could not be reached (${lastLine(output)})`,
      };
}

/** The age from which on Grafana's validator warns, in days. */
const SDK_DAYS = 60;

/**
 * Reads the result of `go list -m -json` of Grafana's SDK.
 *
 * @param {Result} result
 * @param {Date} now
 * @returns {Verdict}
 */
export function sdkVerdict({ stdout, output }, now) {
  const service = "Grafana's SDK";
  const { Version: version, Time: released } = parse(stdout) ?? {};
  if (!released) {
    return { service, verdict: 'unavailable', detail: `not checked, its date is not known (${lastLine(output)})` };
  }
  const days = Math.floor((now.getTime() - Date.parse(released)) / 86_400_000);
  return {
    service,
    verdict: days <= SDK_DAYS ? 'clean' : 'outdated',
    detail: `${version} is ${days} days old, of at most ${SDK_DAYS} in the catalog`,
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const lastLine = (text) => text.trim().split('\n').at(-1);
