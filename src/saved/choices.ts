/** What Grafana writes for “All” where a variable leaves its meaning to the data source. */
const ALL = '$__all';

/**
 * The values of an option whose variables are filled in, read as the backend reads them.
 *
 * A missing or empty list, and one with Grafana's `$__all`, is undefined: all values. An entry may hold several values,
 * as variables write them: `a,b` and `{a,b}`. A list of nothing but blanks, which a variable without a value leaves, is
 * an empty list: no value.
 */
function readChoices(list: string[] = []): string[] | undefined {
  const values = list.flatMap(split);
  return list.length === 0 || values.includes(ALL) ? undefined : [...new Set(values)];
}

function split(entry: string): string[] {
  const text = entry.trim();
  const [, inBraces] = /^\{(.*)\}$/.exec(text) ?? [];
  return (inBraces ?? text)
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean);
}

/** Returns a test of whether a value is among the choices of a list, in any letter case. */
export function chosenBy(list: string[] | undefined): (value: string) => boolean {
  const chosen = readChoices(list)?.map((value) => value.toLowerCase());
  return (value) => chosen?.includes(value.toLowerCase()) ?? true;
}
