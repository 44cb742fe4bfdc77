import { get } from 'lodash';
import { type ScopedVars, type TypedVariableModel } from '@grafana/data';
import { type TemplateSrv } from '@grafana/runtime';

const pattern = /\$(\w+)|\[\[(\w+?)(?::(\w+))?]]|\$\{(\w+)(?:\.([^:}]+))?(?::([^}]+))?}/g;

type Format = Parameters<TemplateSrv['replace']>[2];

/** Interpolates variables as Grafana does: those of a request (`scopedVars`), then those of the dashboard. */
export class VariablesTemplateSrv implements TemplateSrv {
  /** @param variables values by name; a list for a variable with several */
  constructor(private readonly variables: Record<string, string | string[]> = {}) {}

  getVariables(): TypedVariableModel[] {
    return Object.keys(this.variables).map((name) => ({ name }) as TypedVariableModel);
  }

  replace(target = '', scopedVars: ScopedVars = {}, format?: Format): string {
    return target.replace(pattern, (match, plain, bracketed, bracketedFormat, braced, path, bracedFormat) => {
      const name: string = plain ?? bracketed ?? braced;
      const whole: unknown = name in scopedVars ? scopedVars[name]?.value : this.variables[name];
      const value = path && whole !== undefined ? (get(whole, path) ?? '') : whole;
      const own: string | undefined = bracketedFormat ?? bracedFormat;
      if (value === undefined) {
        return match;
      }
      return typeof format === 'function' && !own
        ? format(value, { name })
        : formatted(value, own ?? (format as string));
    });
  }

  containsTemplate(target = ''): boolean {
    return target.search(pattern) !== -1;
  }

  updateTimeRange() {}
}

/** A value as text, in the formats of Grafana that are used here; `glob` is its default. */
function formatted(value: unknown, format = 'glob'): string {
  const values = [value].flat().map(String);
  switch (format) {
    case 'csv':
    case 'raw':
      return values.join(',');
    case 'pipe':
      return values.join('|');
    case 'percentencode':
      return encodeURIComponent(values.join(','));
    case 'glob':
      return values.length === 1 ? values[0] : `{${values.join(',')}}`;
    default:
      throw new Error(`The format ${format} is not known`);
  }
}
