import { mapValues } from 'lodash';
import type { ScopedVars } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import type { TypedQuery } from '../queryTypes';
import { pickOwnFields } from './ownFields';

/** A character that nobody types, around the number of a value that is put in later. */
const MARK = '\u0000';

/**
 * Fills dashboard variables into every option of a query.
 *
 * In a list, a variable with several values becomes as many entries. A variable without a value leaves an empty entry:
 * the backend takes a list of nothing but empty entries for "nothing", and an empty list for "all".
 */
export function interpolate<Query extends TypedQuery>(
  query: Query,
  templates: TemplateSrv,
  scopedVars: ScopedVars
): Query {
  const { refId, datasource, ...options } = pickOwnFields(query);
  const filled = mapValues(options, (option: unknown) => {
    if (Array.isArray(option)) {
      return interpolateList(option, templates, scopedVars);
    }
    return typeof option === 'string' ? templates.replace(option, scopedVars) : option;
  });
  return { refId, datasource, ...filled } as Query;
}

/** Fills dashboard variables into a list of texts. */
export function interpolateList(list: string[], templates: TemplateSrv, scopedVars: ScopedVars): string[] {
  return list.flatMap((text) => expand(text, templates, scopedVars));
}

function expand(text: string, templates: TemplateSrv, scopedVars: ScopedVars): string[] {
  const found: string[][] = [];
  const withMarks = templates.replace(text, scopedVars, (value: unknown) => {
    const values = Array.isArray(value) ? value : [value];
    found.push(values.length > 0 ? values.map((one) => String(one ?? '')) : ['']);
    return MARK + (found.length - 1) + MARK;
  });
  return found.reduce(
    (texts, values, index) => texts.flatMap((one) => values.map((value) => one.split(MARK + index + MARK).join(value))),
    [withMarks]
  );
}
