const width = 34;

/** How often it is said how far steps are, in milliseconds: in a line that is overwritten, or in lines of a log. */
const INTERVAL = process.stdout.isTTY ? 500 : 15_000;

/** Steps under way, each with how far it is. */
const underWay = new Set();
let timer;

/** Seconds since `start`, with the unit. */
export function since(start) {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/**
 * Does one step, says meanwhile how far it is, and prints a line when it is done: what, and how long it took.
 *
 * @template T
 * @param {string} done What to print afterwards, such as "Backend built".
 * @param {(tell: (howFar: string) => void) => Promise<T>} work Its result is returned; 'unchanged' means that there was
 *   nothing to do. It may tell how far it is, such as "12 of 30 packages".
 * @returns {Promise<T>}
 */
export async function step(done, work) {
  const start = Date.now();
  const current = { done, start, howFar: '' };
  underWay.add(current);
  timer ??= setInterval(show, INTERVAL).unref();
  const end = (mark, note = '') => {
    underWay.delete(current);
    overwrite(`${mark} ${done.padEnd(width)} ${since(start)}${note}\n`);
    if (underWay.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
  try {
    const result = await work((howFar) => (current.howFar = howFar));
    end('✔', result === 'unchanged' ? ' (unchanged)' : '');
    return result;
  } catch (error) {
    end('✘');
    throw error;
  }
}

function show() {
  const lines = [...underWay].map(({ done, start, howFar }) =>
    `… ${done.padEnd(width)} ${since(start)}${howFar && `, ${howFar}`}`.trimEnd()
  );
  if (process.stdout.isTTY) {
    overwrite(
      lines
        .map((line) => line.replace(/\s+/g, ' '))
        .join('  ')
        .slice(0, process.stdout.columns - 1)
    );
  } else {
    console.log(lines.join('\n'));
  }
}

/** Writes over the line that says how far steps are. */
function overwrite(text) {
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${text}` : text);
}

/** Runs a script's main function; what it throws is printed as a sentence, not as a stack. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
