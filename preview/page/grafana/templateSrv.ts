import { type ScopedVars, type TimeRange, type TypedVariableModel } from '@grafana/data';
import { type TemplateSrv } from '@grafana/runtime';

const variable = /\$(\w+)|\[\[(\w+?)(?::(\w+))?]]|\$\{(\w+)(?:\.([^:^}]+))?(?::([^}]+))?}/g;

/**
 * Fills in variables as a dashboard without any of its own does: those that come with a request (`scopedVars`), and
 * the time range. What it doesn't know stays as it is, for the backend.
 */
export class ScopedTemplateSrv implements TemplateSrv {
  private timeRange?: TimeRange;

  getVariables(): TypedVariableModel[] {
    return [];
  }

  replace(target = '', scopedVars: ScopedVars = {}): string {
    return target.replace(variable, (match, plain, bracketed, _format, braced) => {
      const value = this.valueOf(plain ?? bracketed ?? braced, scopedVars);
      return value === undefined ? match : String(value);
    });
  }

  containsTemplate(target = ''): boolean {
    return target.search(variable) !== -1;
  }

  updateTimeRange(timeRange: TimeRange) {
    this.timeRange = timeRange;
  }

  private valueOf(name: string, scopedVars: ScopedVars): unknown {
    if (name in scopedVars) {
      return scopedVars[name]?.value;
    }
    switch (name) {
      case '__from':
        return this.timeRange?.from.valueOf();
      case '__to':
        return this.timeRange?.to.valueOf();
      default:
        return undefined;
    }
  }
}
