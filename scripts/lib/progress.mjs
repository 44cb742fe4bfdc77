const width = 34;

/** Seconds since `start`, with the unit. */
export function since(start) {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/**
 * Does one step and prints a line for it when it is done: what, and how long it took.
 *
 * @template T
 * @param {string} done What to print afterwards, such as "Backend built".
 * @param {() => Promise<T>} work Its result is returned; 'unchanged' means that there was nothing to do.
 * @returns {Promise<T>}
 */
export async function step(done, work) {
  const start = Date.now();
  try {
    const result = await work();
    console.log(`✔ ${done.padEnd(width)} ${since(start)}${result === 'unchanged' ? ' (unchanged)' : ''}`);
    return result;
  } catch (error) {
    console.log(`✘ ${done.padEnd(width)} ${since(start)}`);
    throw error;
  }
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
