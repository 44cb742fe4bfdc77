import { existsSync, readFileSync, rmSync } from 'node:fs';

/** A line of wireit's log about one part: `🏃 [test:jest] Running command "jest"`. */
const LINE = /^\S+ \[(?:test|build):([\w-]+)\] (Running command|Executed successfully|Already fresh|Failed)/gm;

/**
 * Follows the log that wireit writes with WIREIT_DEBUG_LOG_FILE, which has no times, while the parts run.
 *
 * @param {string} log It is written anew.
 * @returns {{ stop(): string[] }} `stop` returns which parts ran and for how many seconds, the longest first, and which were unchanged.
 */
export function watchParts(log) {
  rmSync(log, { force: true });
  const parts = new Map();
  const read = () => {
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    for (const [, name, event] of text.matchAll(LINE)) {
      const part = parts.get(name) ?? {};
      parts.set(name, part);
      part[event === 'Running command' ? 'begun' : 'ended'] ??= Date.now();
      part.passed ||= event === 'Executed successfully';
    }
  };
  const timer = setInterval(read, 200);
  return {
    stop() {
      clearInterval(timer);
      read();
      return describe([...parts], Date.now());
    },
  };
}

/** A part without an end has failed last: wireit ends before that is in its log. */
function describe(parts, now) {
  const ran = parts
    .filter(([, { begun }]) => begun)
    .map(([name, { begun, ended = now, passed }]) => ({ name, passed, seconds: Math.round((ended - begun) / 1000) }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ name, passed, seconds }) => `  ${passed ? '✔' : '✘'} ${name} ${seconds} s`);
  const unchanged = parts.filter(([, { begun }]) => !begun).map(([name]) => name);
  return [...ran, ...(unchanged.length > 0 ? [`  Unchanged: ${unchanged.toSorted().join(', ')}`] : [])];
}
