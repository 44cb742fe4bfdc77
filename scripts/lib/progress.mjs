/** Seconds since `start`, with the unit. */
export const since = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`;

/**
 * Does one step, and prints a line when it begins and when it is done: what, and how long it took.
 *
 * @template T
 * @param {string} done What to print afterwards, such as "Backend built".
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(done, work) {
  const start = Date.now();
  console.log(`… ${done}`);
  try {
    const result = await work();
    console.log(`✔ ${done.padEnd(34)} ${since(start)}`);
    return result;
  } catch (error) {
    console.log(`✘ ${done.padEnd(34)} ${since(start)}`);
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
