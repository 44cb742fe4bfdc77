import { findGrafana } from './grafana.mjs';

/**
 * Takes `--grafana`, `--grafana PATH` and `--grafana=PATH` out of a command line.
 *
 * @param {string[]} args
 * @returns `grafana`, if the option is there, and the `rest` of the command line
 */
export function grafanaOption(args) {
  const at = args.findIndex((arg) => arg === '--grafana' || arg.startsWith('--grafana='));
  if (at < 0) {
    return { grafana: undefined, rest: args };
  }
  const within = args[at].startsWith('--grafana=') ? args[at].slice('--grafana='.length) : undefined;
  const next = args[at + 1]?.startsWith('-') ? undefined : args[at + 1];
  const path = within ?? next;
  return { grafana: findGrafana(path), rest: args.toSpliced(at, within === undefined && next ? 2 : 1) };
}
